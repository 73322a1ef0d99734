/**
 * Traces: spans of runs, model calls, tool calls and deliveries, named by OpenTelemetry's
 * conventions for generative AI, and the trace context as text that is stored in rows. Any package
 * may use it; no other package uses OpenTelemetry. The one rule: a span contains no text of users
 * or models.
 */
@NullMarked
package dev.errand.trace;

import org.jspecify.annotations.NullMarked;
