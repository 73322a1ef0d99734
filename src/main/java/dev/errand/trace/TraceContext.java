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
 * The place in a trace at which a thread works: written down and read as W3C {@code traceparent},
 * and carried to another thread.
 */
public final class TraceContext {

  private static final String FIELD = "traceparent";
  private static final W3CTraceContextPropagator FORM = W3CTraceContextPropagator.getInstance();

  private TraceContext() {}

  /** Where this thread works, {@code 00-…-…-01}; null when nobody traces it. */
  public static @Nullable String current() {
    if (!Span.current().getSpanContext().isValid()) {
      return null;
    }
    var written = new HashMap<String, String>();
    FORM.inject(Context.current(), written, (_, name, value) -> written.put(name, value));
    return written.get(FIELD);
  }

  /** The same work, on whatever thread it is done, at the place of the thread that calls this. */
  public static <T> Callable<T> carried(Callable<T> work) {
    return Context.current().wrap(work);
  }

  /** Like {@link #carried(Callable)}. */
  public static Runnable carried(Runnable work) {
    return Context.current().wrap(work);
  }

  /** What is no traceparent leads to a trace of its own. */
  static Context at(@Nullable String traceParent) {
    return traceParent == null
        ? Context.root()
        : FORM.extract(Context.root(), Map.of(FIELD, traceParent), new Field());
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
