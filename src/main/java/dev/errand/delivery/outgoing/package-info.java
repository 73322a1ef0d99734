/**
 * What leaves the service: signed posts to callbacks, and events for hooks. Ends of tasks, messages
 * and events write rows; the relay claims and sends them. The one rule: no transaction is open
 * while something is sent; claim, send and settle are three steps.
 */
@NullMarked
package dev.errand.delivery.outgoing;

import org.jspecify.annotations.NullMarked;
