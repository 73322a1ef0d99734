/**
 * The database: the embedded server, its settings, and access with Jdbi. Any package may use it.
 * The one rule: durability is never traded for speed. The service refuses to start on a database
 * that could lose a commit.
 */
@NullMarked
package dev.errand.postgres;

import org.jspecify.annotations.NullMarked;
