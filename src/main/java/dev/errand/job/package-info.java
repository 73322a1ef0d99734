/**
 * JobRunr, and nothing else of ours imports it: jobs are enqueued in our transactions and bring
 * sessions to workers. The one rule: JobRunr carries, our rows decide – a job holds one id, and one
 * that finds nothing to do succeeds.
 */
@NullMarked
package dev.errand.job;

import org.jspecify.annotations.NullMarked;
