/**
 * Shared test support: a real database, a scripted model, and ways to act on the service and to
 * observe it. Tests write through HTTP and read the rows.
 */
@NullMarked
package dev.errand.kit;

import org.jspecify.annotations.NullMarked;
