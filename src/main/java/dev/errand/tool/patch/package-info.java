/**
 * Patches in git's format: reading them, and computing what they make of the files of a workspace.
 * No program is started, and no configuration of a repository is read.
 */
@NullMarked
package dev.errand.tool.patch;

import org.jspecify.annotations.NullMarked;
