package dev.errand.ops;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.DoubleStream;

/** Bounds the number of time series, independent of the number of agents and models. */
@Singleton
class MeterFilters {

  private static final int MAX_AGENTS = 200;
  private static final String OTHER_AGENTS = "other";
  private static final int MAX_MODELS = 100;

  /** In seconds: from the delivery of a hint to a task that takes an hour. */
  private static final double[] BUCKETS = {
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600
  };

  /** Returns a few buckets up to an hour; the defaults of the library are many and end at 30 s. */
  @Produces
  @Singleton
  MeterFilter buckets() {
    var timerBuckets =
        DistributionStatisticConfig.builder()
            .percentilesHistogram(false)
            .serviceLevelObjectives(
                DoubleStream.of(BUCKETS)
                    .map(seconds -> seconds * Duration.ofSeconds(1).toNanos())
                    .toArray())
            .build();
    return new MeterFilter() {
      @Override
      public DistributionStatisticConfig configure(
          Meter.Id id, DistributionStatisticConfig config) {
        return id.getType() == Meter.Type.TIMER && id.getName().startsWith("errand.")
            ? timerBuckets.merge(config)
            : config;
      }
    };
  }

  /** Clients choose the names of models, and some endpoints accept any name. */
  @Produces
  @Singleton
  MeterFilter fewModels() {
    return MeterFilter.maximumAllowableTags(
        "errand.tokens", "model", MAX_MODELS, MeterFilter.deny());
  }

  @Produces
  @Singleton
  MeterFilter fewModelsWithCosts() {
    return MeterFilter.maximumAllowableTags("errand.cost", "model", MAX_MODELS, MeterFilter.deny());
  }

  /** Counts tasks of further agents together. */
  @Produces
  @Singleton
  MeterFilter fewAgents() {
    return new FewAgents();
  }

  private static final class FewAgents implements MeterFilter {

    private static final String TAG = "agent";

    private final Set<String> agents = new HashSet<>();

    @Override
    public Meter.Id map(Meter.Id id) {
      var agent = id.getName().startsWith("errand.task") ? id.getTag(TAG) : null;
      return agent == null || isKnown(agent) ? id : id.withTag(Tag.of(TAG, OTHER_AGENTS));
    }

    private synchronized boolean isKnown(String agent) {
      return agents.contains(agent) || (agents.size() < MAX_AGENTS && agents.add(agent));
    }
  }
}
