package dev.errand.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoundsCheckTest {

  @ConfigMapping(prefix = "limits")
  interface Limits {

    @WithDefault("5")
    @Bounds(min = "1", max = "10")
    int maxRuns();

    @Bounds(min = "500ms", max = "24h")
    Optional<Duration> timeout();

    @Bounds(min = "1M", max = "2G")
    Optional<MemorySize> heap();

    @Bounds(min = "0", max = "9")
    OptionalInt delegations();

    @Bounds(min = "1")
    OptionalLong tokens();

    @WithDefault("80,443")
    @Bounds(max = "65535")
    List<Integer> ports();

    @WithParentName
    Map<String, Group> groups();

    interface Group {

      @Bounds(min = "0")
      Optional<Long> size();
    }
  }

  @Test
  void valuesOnTheBoundsAndAbsentOnesAreAccepted() {
    var limits =
        read(
            "limits.max-runs=10",
            "limits.timeout=500ms",
            "limits.heap=1M",
            "limits.delegations=9",
            "limits.tokens=1",
            "limits.a.size=0");

    assertThat(limits.maxRuns()).isEqualTo(10);
    assertThat(limits.delegations()).hasValue(9);
    assertThat(read("limits.max-runs=1").tokens()).isEmpty();
    assertThat(read("limits.max-runs=1").timeout()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "limits.max-runs=0, limits.max-runs must be at least 1",
    "limits.max-runs=11, limits.max-runs must be at most 10",
    "limits.timeout=499ms, limits.timeout must be at least 500ms",
    "limits.timeout=25h, limits.timeout must be at most 24h",
    "limits.heap=1023K, limits.heap must be at least 1M",
    "limits.heap=3G, limits.heap must be at most 2G",
    "limits.delegations=-1, limits.delegations must be at least 0",
    "limits.delegations=10, limits.delegations must be at most 9",
    "limits.tokens=0, limits.tokens must be at least 1",
    "limits.ports[0]=65536, limits.ports[0] must be at most 65535",
    "limits.a.size=-1, limits.a.size must be at least 0",
    "limits.\"a/b\".size=-1, limits.\"a/b\".size must be at least 0",
  })
  void valueOutOfItsBoundsIsNamed(String property, String message) {
    assertThatThrownBy(() -> read(property))
        .isInstanceOf(ConfigValidationException.class)
        .hasMessageContaining(message);
  }

  @Test
  void allOfThemAreNamedTogether() {
    assertThatThrownBy(() -> read("limits.max-runs=0", "limits.a.size=-1"))
        .hasMessageContainingAll("limits.max-runs must be", "limits.a.size must be");
  }

  @Test
  void emptyListIsRefused() {
    assertThatThrownBy(() -> read("limits.ports=")).hasMessageContaining("limits.ports");
    assertThatThrownBy(() -> read("limits.ports=,")).hasMessageContaining("limits.ports");
  }

  private static Limits read(String... properties) {
    var builder =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .addDiscoveredCustomizers()
            .withMapping(Limits.class);
    for (var property : properties) {
      var equals = property.indexOf('=');
      builder.withDefaultValue(property.substring(0, equals), property.substring(equals + 1));
    }
    return builder.build().getConfigMapping(Limits.class);
  }
}
