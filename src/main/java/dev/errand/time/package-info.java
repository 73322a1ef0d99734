/**
 * The one clock. Any package may use it. The one rule: the database's clock, not this one, decides
 * leases and deadlines.
 */
@NullMarked
package dev.errand.time;

import org.jspecify.annotations.NullMarked;
