/** Tests of the settings of the database. */
@NullMarked
package dev.errand.postgres;

import org.jspecify.annotations.NullMarked;
