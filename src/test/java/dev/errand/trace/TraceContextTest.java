package dev.errand.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {

  private static final String SAMPLED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final String NOT_SAMPLED =
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

  @Test
  void threadWithoutATraceHasNoTraceparent() {
    assertThat(TraceContext.current()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {SAMPLED, NOT_SAMPLED})
  void traceparentIsWrittenAsItWasRead(String traceParent) {
    try (var _ = TraceContext.at(traceParent).makeCurrent()) {
      assertThat(TraceContext.current()).isEqualTo(traceParent);
    }
  }

  /** The additional fields of a later version are dropped. */
  @Test
  void laterVersionIsWrittenAsTheCurrentOne() {
    try (var _ = TraceContext.at("cc" + SAMPLED.substring(2) + "-more").makeCurrent()) {
      assertThat(TraceContext.current()).isEqualTo(SAMPLED);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01x"
      })
  void invalidTraceparentIsIgnored(String nonsense) {
    var context = Span.fromContext(TraceContext.at(nonsense)).getSpanContext();

    assertThat(context.isValid()).isFalse();
  }

  @Test
  void contextIsPassedToAnotherThread() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        var _ = TraceContext.at(SAMPLED).makeCurrent()) {
      assertThat(threads.submit(TraceContext::current).get()).isNull();
      assertThat(threads.submit(TraceContext.carried(TraceContext::current)).get())
          .isEqualTo(SAMPLED);
    }
  }

  @Test
  void disabledTracingSetsNoContext() {
    var spans = new Spans(OpenTelemetry.noop(), true);

    try (var _ = spans.agent(new Spans.TracedRun("ses_1", "primary", "offline:planner", SAMPLED));
        var _ = spans.tool("list", "call_1")) {
      assertThat(TraceContext.current()).isNull();
    }
  }
}
