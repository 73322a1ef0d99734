/**
 * Tells parents that are hosted elsewhere, by signed posts to their callbacks (C5). Doors register
 * callbacks, ends of tasks write what is to be posted, the relay posts it. The one rule: nothing of
 * the database is held during a post; claim, post and settle are three steps.
 */
@NullMarked
package dev.errand.webhook;

import org.jspecify.annotations.NullMarked;
