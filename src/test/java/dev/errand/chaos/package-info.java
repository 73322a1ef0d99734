/**
 * The chaos harness: several real service processes on one PostgreSQL, a model endpoint and a sink
 * in processes of their own, a proxy in the database's wire, a seeded plan of interruptions, and a
 * checker that reads the database and the sink afterwards. Run by {@code make chaos}. The one rule:
 * it knows the service from outside only – HTTP, signals, rows.
 */
@NullMarked
package dev.errand.chaos;

import org.jspecify.annotations.NullMarked;
