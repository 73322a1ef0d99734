/** Where the process starts: configuration from the environment, the database, then Quarkus. */
@NullMarked
package dev.errand;

import org.jspecify.annotations.NullMarked;
