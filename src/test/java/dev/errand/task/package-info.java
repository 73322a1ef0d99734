/** Limits of delegation. */
@NullMarked
package dev.errand.task;

import org.jspecify.annotations.NullMarked;
