/**
 * The clock of the service and retry delays. Any package may use it. The one rule: leases and
 * deadlines are decided by the clock of the database, not by this one.
 */
@NullMarked
package dev.errand.time;

import org.jspecify.annotations.NullMarked;
