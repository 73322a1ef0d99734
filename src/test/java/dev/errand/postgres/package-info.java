/** The database as it is set up. */
@NullMarked
package dev.errand.postgres;

import org.jspecify.annotations.NullMarked;
