/** Rows on their way. */
@NullMarked
package dev.errand.outbox;

import org.jspecify.annotations.NullMarked;
