/**
 * Tells sessions' owners, by signed posts to their callbacks (C5): of results those whose loop runs
 * elsewhere, of what their agent says all others. Doors register callbacks, ends of tasks and what
 * a session says write what is to be posted, the relay posts it. The one rule: nothing of the
 * database is held during a post; claim, post and settle are three steps.
 */
@NullMarked
package dev.errand.delivery.webhook;

import org.jspecify.annotations.NullMarked;
