/** The values that a setting may have, and how pasted ones are read. Any package may use it. */
@NullMarked
package dev.errand.setting;

import org.jspecify.annotations.NullMarked;
