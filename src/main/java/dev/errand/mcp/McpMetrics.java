package dev.errand.mcp;

import dev.errand.conversation.Word;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Metrics of the door. */
@Singleton
class McpMetrics {

  private static final Set<String> METHODS =
      Stream.of(
              Protocol.MODERN_METHODS,
              Protocol.LEGACY_METHODS,
              Set.of("notifications/initialized", "notifications/cancelled"))
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  private final MeterRegistry registry;
  private final AtomicInteger open = new AtomicInteger();

  McpMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** The kind of answer to a message. */
  enum MessageOutcome implements Word {
    OK,
    /** The result of a tool that is an error. */
    TOOL_ERROR,
    /** An error of the protocol. */
    FAULT,
    /** The client has left before the answer. */
    LEFT
  }

  void begin(@Observes StartupEvent start) {
    Gauge.builder("errand.mcp.open.calls", open, AtomicInteger::get).register(registry);
  }

  /** Methods that are not known share a name, so that clients cannot make any number of them. */
  void answered(String method, MessageOutcome outcome) {
    registry
        .counter(
            "errand.mcp.requests",
            "method",
            METHODS.contains(method) ? method : "other",
            "outcome",
            outcome.word())
        .increment();
  }

  void opened() {
    open.incrementAndGet();
  }

  void closed() {
    open.decrementAndGet();
  }
}
