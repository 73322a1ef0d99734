/** Tests of the outbox. */
@NullMarked
package dev.errand.outbox;

import org.jspecify.annotations.NullMarked;
