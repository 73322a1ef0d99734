/** Tests of events. */
@NullMarked
package dev.errand.event;

import org.jspecify.annotations.NullMarked;
