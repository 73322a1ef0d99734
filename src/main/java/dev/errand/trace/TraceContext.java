package dev.errand.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The trace context of a thread: written and read as W3C {@code traceparent}, and passed on to
 * other threads.
 */
public final class TraceContext {

  private static final String FIELD = "traceparent";
  private static final W3CTraceContextPropagator PROPAGATOR =
      W3CTraceContextPropagator.getInstance();

  private TraceContext() {}

  /**
   * Returns the {@code traceparent} of this thread, {@code 00-…-…-01}; null when it is not traced.
   */
  public static @Nullable String current() {
    if (!Span.current().getSpanContext().isValid()) {
      return null;
    }
    var written = new HashMap<String, String>();
    PROPAGATOR.inject(Context.current(), written, (_, name, value) -> written.put(name, value));
    return written.get(FIELD);
  }

  /** Wraps {@code work} so that any thread runs it in the trace context of this thread. */
  public static <T> Callable<T> carried(Callable<T> work) {
    return Context.current().wrap(work);
  }

  /** Returns work that carries the trace of this thread. */
  public static Runnable carried(Runnable work) {
    return Context.current().wrap(work);
  }

  /** Invalid text gives the root context. */
  static Context at(@Nullable String traceParent) {
    return traceParent == null
        ? Context.root()
        : PROPAGATOR.extract(Context.root(), Map.of(FIELD, traceParent), new Field());
  }

  private record Field() implements TextMapGetter<Map<String, String>> {

    @Override
    public Iterable<String> keys(Map<String, String> written) {
      return List.of(FIELD);
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> written, String name) {
      return written == null ? null : written.get(name);
    }
  }
}
