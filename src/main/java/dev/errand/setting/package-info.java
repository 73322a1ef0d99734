/** The values that a setting may have. Any package may use it. */
@NullMarked
package dev.errand.setting;

import org.jspecify.annotations.NullMarked;
