/**
 * JobRunr, which no other package imports. Jobs are enqueued in the transaction that queues a
 * session and bring the session to a worker; recurring jobs run the upkeep of other packages. The
 * one rule: the rows of the service decide, not the jobs. A job contains one id or name, and a job
 * that finds nothing to do succeeds.
 */
@NullMarked
package dev.errand.job;

import org.jspecify.annotations.NullMarked;
