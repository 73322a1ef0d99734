/** The entry point: reads the environment, starts the database if needed, then starts Quarkus. */
@NullMarked
package dev.errand;

import org.jspecify.annotations.NullMarked;
