package dev.errand.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An open span. It covers the work of the thread that opened it until the same thread closes it.
 */
public final class SpanScope implements AutoCloseable {

  private final Span span;
  private final Scope scope;
  private boolean reported = true;

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

  /** Sets an attribute, unless the value is null. */
  public void about(String attribute, @Nullable String value) {
    if (value != null) {
      span.setAttribute(attribute, value);
    }
  }

  public void about(String attribute, long value) {
    span.setAttribute(attribute, value);
  }

  /** Runs {@code work}. An exception is recorded as the error of the span, by class name only. */
  public <T> T watch(Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException fault) {
      failed(fault.getClass().getName());
      throw fault;
    }
  }

  /**
   * Marks the span as failed.
   *
   * @param type one of a small set of words, without ids or text of users
   */
  public void failed(String type) {
    span.setAttribute("error.type", type);
    span.setStatus(StatusCode.ERROR);
  }

  /** Drops the span, because no work was done. */
  public void forget() {
    reported = false;
  }

  /** Ends only the scope. The caller ends the span. */
  OpenSpan leaveOpen() {
    reported = false;
    return new OpenSpan(TraceContext.current(), span::end);
  }

  /**
   * A span that covers no work of its thread.
   *
   * @param traceParent of the span; null when nothing is traced
   */
  public record OpenSpan(@Nullable String traceParent, Runnable ending) {

    /** Reports the span. A span that does not end is not reported. */
    public void end() {
      ending.run();
    }
  }

  @Override
  public void close() {
    scope.close();
    if (reported) {
      span.end();
    }
  }
}
