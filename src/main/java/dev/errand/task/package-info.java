/**
 * Delegation: submission, limits, queues, retries, ends. Called by clients' requests, by tools and
 * by runs. The one rule: what a caller is told was committed before, with the job that will do it,
 * and a terminal state never changes.
 */
@NullMarked
package dev.errand.task;

import org.jspecify.annotations.NullMarked;
