package dev.errand.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A span under way: what the thread that began it does until it closes it, on that same thread,
 * belongs to it.
 */
public final class SpanScope implements AutoCloseable {

  private final Span span;
  private final Scope scope;
  private boolean told = true;

  private SpanScope(Span span, Scope scope) {
    this.span = span;
    this.scope = scope;
  }

  @SuppressWarnings("MustBeClosedChecker") // closed with this
  static SpanScope begun(Context context) {
    return new SpanScope(Span.fromContext(context), context.makeCurrent());
  }

  static SpanScope none() {
    return new SpanScope(Span.getInvalid(), Scope.noop());
  }

  /** Null is left out. */
  public void about(String attribute, @Nullable String value) {
    if (value != null) {
      span.setAttribute(attribute, value);
    }
  }

  public void about(String attribute, long value) {
    span.setAttribute(attribute, value);
  }

  /** Does the work; an exception that leaves it is this span's error, by its class alone. */
  public <T> T watch(Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException fault) {
      failed(fault.getClass().getName());
      throw fault;
    }
  }

  /**
   * @param type one of few words, without ids or anybody's text
   */
  public void failed(String type) {
    span.setAttribute("error.type", type);
    span.setStatus(StatusCode.ERROR);
  }

  /** Nothing was done after all: the span is not told of. */
  public void forget() {
    told = false;
  }

  @Override
  public void close() {
    scope.close();
    if (told) {
      span.end();
    }
  }
}
