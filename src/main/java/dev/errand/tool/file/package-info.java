/**
 * The tools that read and change the files of a workspace, and how a path is resolved inside it.
 * The one rule: no path leaves the workspace, through whatever link.
 */
@NullMarked
package dev.errand.tool.file;

import org.jspecify.annotations.NullMarked;
