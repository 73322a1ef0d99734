package dev.errand.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MeterFiltersTest {

  private final MeterRegistry registry = new SimpleMeterRegistry();

  MeterFiltersTest() {
    var filters = new MeterFilters();
    registry
        .config()
        .meterFilter(filters.buckets())
        .meterFilter(filters.fewModels())
        .meterFilter(filters.fewModelsWithCosts())
        .meterFilter(filters.fewAgents());
  }

  @Test
  void timersOfTheServiceHaveAFewBucketsUpToAnHour() {
    var service =
        Timer.builder("errand.task.run").register(registry).takeSnapshot().histogramCounts();
    var library = registry.timer("http.server.requests").takeSnapshot().histogramCounts();

    assertThat(service).hasSizeLessThan(20);
    assertThat(service[0].bucket(TimeUnit.MILLISECONDS)).isEqualTo(5);
    assertThat(service[service.length - 1].bucket(TimeUnit.HOURS)).isEqualTo(1);
    assertThat(library).isEmpty();
  }

  @Test
  void seriesOfModelsAndAgentsAreBounded() {
    IntStream.range(0, 300)
        .forEach(number -> {
          registry
              .counter("errand.tokens", "model", "m" + number, "direction", "input")
              .increment();
          registry.counter("errand.cost", "model", "m" + number).increment();
          ended("a" + number).increment();
        });

    assertThat(registry.find("errand.tokens").counters()).hasSize(100);
    assertThat(registry.find("errand.cost").counters()).hasSize(100);
    assertThat(registry.find("errand.tasks.ended").counters()).hasSize(201);
  }

  @Test
  void tasksOfFurtherAgentsAreCountedTogether() {
    IntStream.range(0, 300).forEach(number -> ended("a" + number).increment());
    IntStream.range(0, 300).forEach(number -> ended("a" + number).increment());

    assertThat(ended("a199").count()).isEqualTo(2);
    assertThat(registry.get("errand.tasks.ended").tag("agent", "other").counter().count())
        .isEqualTo(200);
  }

  private Counter ended(String agent) {
    return registry.counter("errand.tasks.ended", "agent", agent, "outcome", "failed");
  }
}
