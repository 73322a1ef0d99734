/**
 * Signed posts to sessions' callbacks: the results of tasks for external sessions, the agent's
 * messages for hosted ones. Callbacks are registered by the API; ends of tasks and messages write
 * rows; the relay posts them. The one rule: no transaction is held during a post; claim, post and
 * settle are three steps.
 */
@NullMarked
package dev.errand.delivery.webhook;

import org.jspecify.annotations.NullMarked;
