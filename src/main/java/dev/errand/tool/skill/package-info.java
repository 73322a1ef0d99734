/**
 * Skills: directories of instructions that agents load when they need them, and the tools that
 * find, load and write them. The one rule: nothing outside the directory of skills is read or
 * written, whatever a name or a link says.
 */
@NullMarked
package dev.errand.tool.skill;

import org.jspecify.annotations.NullMarked;
