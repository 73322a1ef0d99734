/** Tests of shell commands, run as real processes. */
@NullMarked
package dev.errand.tool.shell;

import org.jspecify.annotations.NullMarked;
