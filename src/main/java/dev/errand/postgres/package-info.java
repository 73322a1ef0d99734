/**
 * The database: the embedded server, its settings, and access to it by Jdbi. Any package may use
 * it. The one rule: durable settings are never traded for speed – a database that could lose a
 * commit is refused at start-up.
 */
@NullMarked
package dev.errand.postgres;

import org.jspecify.annotations.NullMarked;
