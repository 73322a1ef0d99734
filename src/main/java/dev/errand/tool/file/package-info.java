/**
 * The tools that read and change the files of a workspace, and the resolution of paths in it. The
 * rule: no path leads outside the workspace, not even through a link.
 */
@NullMarked
package dev.errand.tool.file;

import org.jspecify.annotations.NullMarked;
