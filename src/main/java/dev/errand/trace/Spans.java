package dev.errand.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Begins spans, named as OpenTelemetry's conventions for generative AI ask. Without a collector to
 * send them to they are nothing: no thread is given a place in a trace.
 */
@ApplicationScoped
public class Spans {

  private static final ContextKey<Begun> RUN = ContextKey.named("errand-run");

  private static final String OPERATION = "gen_ai.operation.name";
  private static final String PROVIDER = "gen_ai.provider.name";
  private static final String MODEL = "gen_ai.request.model";
  private static final String CONVERSATION = "gen_ai.conversation.id";

  private final Tracer tracer;
  private final boolean off;

  /**
   * @param off a switched-off SDK would still make spans, and throw them away
   */
  @Inject
  public Spans(
      OpenTelemetry telemetry, @ConfigProperty(name = "quarkus.otel.sdk.disabled") boolean off) {
    this.tracer = (off ? OpenTelemetry.noop() : telemetry).getTracer("dev.errand");
    this.off = off;
  }

  /**
   * One run of an agent.
   *
   * @param traceParent what woke it; null when that was not traced
   */
  public record Begun(String session, String agent, String model, @Nullable String traceParent) {}

  /** A run begins, under what woke its session. */
  public SpanScope agent(Begun run) {
    var model = run.model().split(":", 2);
    var builder =
        operation("invoke_agent", run.agent())
            .setAttribute("gen_ai.agent.name", run.agent())
            .setAttribute(CONVERSATION, run.session())
            .setAttribute(PROVIDER, model[0])
            .setAttribute(MODEL, model[model.length - 1]);
    return begin(builder, TraceContext.at(run.traceParent()).with(RUN, run));
  }

  /** A model is asked, in the run that this thread works for. */
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
   * A tool is called, in the run that this thread works for.
   *
   * @param name of a tool that there is: models make up names without end
   */
  public SpanScope tool(String name, String callId) {
    var builder =
        operation("execute_tool", name)
            .setAttribute("gen_ai.tool.name", name)
            .setAttribute("gen_ai.tool.type", "function")
            .setAttribute("gen_ai.tool.call.id", callId);
    return begin(builder, Context.current());
  }

  /** A task's result goes to {@code session}, under what delegated the task. */
  public SpanScope delivery(String session, String target, @Nullable String traceParent) {
    var builder =
        tracer
            .spanBuilder("deliver")
            .setSpanKind(SpanKind.PRODUCER)
            .setAttribute(CONVERSATION, session)
            .setAttribute("errand.delivery.target", target);
    return begin(builder, TraceContext.at(traceParent));
  }

  /** The run that this thread drives takes up something else than what woke it. */
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
