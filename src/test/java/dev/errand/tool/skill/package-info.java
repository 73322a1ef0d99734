@NullMarked
package dev.errand.tool.skill;

import org.jspecify.annotations.NullMarked;
