package dev.errand.tool.patch;

import dev.errand.tool.ToolFailure;

/** A patch, or one file of it, that is not applied whatever the workspace contains. */
final class UnusablePatch extends ToolFailure {

  UnusablePatch(String why) {
    super("The patch cannot be applied: " + why + ".");
  }
}
