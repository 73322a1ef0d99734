/**
 * Traces: spans of runs, model calls, tool calls and deliveries, as OpenTelemetry's conventions for
 * generative AI name them, and the place in a trace as text that is kept in rows. Called from all
 * who work; the only package that knows OpenTelemetry. The one rule: no words of users or models
 * enter a span.
 */
@NullMarked
package dev.errand.trace;

import org.jspecify.annotations.NullMarked;
