package dev.errand.trace;

import dev.errand.trace.SpanScope.OpenSpan;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Opens spans, named by OpenTelemetry's conventions for generative AI. Without a collector, no
 * spans are created and no thread gets a trace context.
 */
@Singleton
public class Spans {

  private static final ContextKey<TracedRun> RUN = ContextKey.named("errand-run");

  private static final String OPERATION = "gen_ai.operation.name";
  private static final String PROVIDER = "gen_ai.provider.name";
  private static final String MODEL = "gen_ai.request.model";
  private static final String CONVERSATION = "gen_ai.conversation.id";

  private final Tracer tracer;
  private final boolean off;

  /**
   * @param off checked here, because a disabled SDK still creates spans and discards them
   */
  @Inject
  public Spans(
      OpenTelemetry telemetry, @ConfigProperty(name = "quarkus.otel.sdk.disabled") boolean off) {
    this.tracer = (off ? OpenTelemetry.noop() : telemetry).getTracer("dev.errand");
    this.off = off;
  }

  /**
   * A run of an agent.
   *
   * @param traceParent the span that woke the session; null when it was not traced
   */
  public record TracedRun(
      String session, String agent, String model, @Nullable String traceParent) {}

  /** Begins the span of a run, as a child of the span that woke its session. */
  public SpanScope agent(TracedRun run) {
    var model = run.model().split(":", 2);
    var builder =
        operation("invoke_agent", run.agent())
            .setAttribute("gen_ai.agent.name", run.agent())
            .setAttribute(CONVERSATION, run.session())
            .setAttribute(PROVIDER, model[0])
            .setAttribute(MODEL, model[model.length - 1]);
    return begin(builder, TraceContext.at(run.traceParent()).with(RUN, run));
  }

  /** Begins the span of a model call in the run of this thread. */
  public SpanScope chat(String provider, String model) {
    var run = Context.current().get(RUN);
    var builder =
        operation("chat", model)
            .setSpanKind(SpanKind.CLIENT)
            .setAttribute(PROVIDER, provider)
            .setAttribute(MODEL, model);
    if (run != null) {
      builder.setAttribute(CONVERSATION, run.session());
    }
    return begin(builder, Context.current());
  }

  /**
   * Begins the span of a tool call in the run of this thread.
   *
   * @param name of an existing tool, because models invent any number of names
   */
  public SpanScope tool(String name, String callId) {
    var builder =
        operation("execute_tool", name)
            .setAttribute("gen_ai.tool.name", name)
            .setAttribute("gen_ai.tool.type", "function")
            .setAttribute("gen_ai.tool.call.id", callId);
    return begin(builder, Context.current());
  }

  /**
   * Begins the span of a call of a client of MCP.
   *
   * @param traceParent the span of the client that the call belongs to; null when it gives none
   */
  public SpanScope mcp(String method, @Nullable String traceParent) {
    var builder = tracer.spanBuilder("mcp " + method).setAttribute("mcp.method.name", method);
    return begin(builder, traceParent == null ? Context.current() : TraceContext.at(traceParent));
  }

  /**
   * Begins the span of a delivery to {@code session}, as a child of the span that delegated the
   * task.
   */
  public SpanScope delivery(String session, String target, @Nullable String traceParent) {
    var builder =
        tracer
            .spanBuilder("deliver")
            .setSpanKind(SpanKind.PRODUCER)
            .setAttribute(CONVERSATION, session)
            .setAttribute("errand.delivery.target", target);
    return begin(builder, TraceContext.at(traceParent));
  }

  /** Opens the span of a delivery of which the work of this thread is not a part. */
  public OpenSpan open(String session, String target, @Nullable String traceParent) {
    try (var scope = delivery(session, target, traceParent)) {
      return scope.leaveOpen();
    }
  }

  /** Links the run of this thread to a span other than the span that woke the session. */
  public void takesUp(String traceParent) {
    var run = Context.current().get(RUN);
    if (run != null && !traceParent.equals(run.traceParent())) {
      Span.current().addLink(Span.fromContext(TraceContext.at(traceParent)).getSpanContext());
    }
  }

  private SpanBuilder operation(String name, String of) {
    return tracer.spanBuilder(name + " " + of).setAttribute(OPERATION, name);
  }

  private SpanScope begin(SpanBuilder builder, Context parent) {
    return off
        ? SpanScope.none()
        : SpanScope.begun(parent.with(builder.setParent(parent).startSpan()));
  }
}
