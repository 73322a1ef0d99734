/**
 * The chaos harness: several real service processes with one PostgreSQL, a model endpoint and a
 * sink in separate processes, a proxy between each node and the database, a seeded plan of faults,
 * and a checker that reads the database and the sink afterwards. Run by {@code make chaos}. Rule:
 * the harness uses the service only from outside, through HTTP, signals and rows.
 */
@NullMarked
package dev.errand.chaos;

import org.jspecify.annotations.NullMarked;
