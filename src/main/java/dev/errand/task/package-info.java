/**
 * Delegation: the task tools, submitting, limits, ends. Called from outside and, as tools, by the
 * agent loop. The one rule: what the caller is told was committed before, with the job that will do
 * it, and a terminal state never changes.
 */
@NullMarked
package dev.errand.task;

import org.jspecify.annotations.NullMarked;
