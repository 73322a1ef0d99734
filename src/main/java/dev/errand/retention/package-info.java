/**
 * Deletes what is no longer needed: transcripts of children with {@code cleanup: delete}, sessions
 * that were not used for a long time, expired idempotency keys. Runs on every node, one session per
 * transaction. The one rule: nothing that is still owed to a parent is deleted.
 */
@NullMarked
package dev.errand.retention;

import org.jspecify.annotations.NullMarked;
