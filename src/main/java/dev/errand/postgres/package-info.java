/**
 * The database: the embedded server, its settings, access with Jdbi, and statements that are sent
 * together. Any package may use it. The one rule: durability is never traded for speed. The service
 * refuses to start on a database that could lose a commit.
 */
@NullMarked
package dev.errand.postgres;

import org.jspecify.annotations.NullMarked;
