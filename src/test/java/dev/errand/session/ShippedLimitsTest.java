package dev.errand.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.session.WakeChain.WakesConfig;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The limits of a service that nobody has configured; other tests set their own. */
class ShippedLimitsTest {

  @Test
  void limitsAreThoseOfTheDocumentation() throws IOException {
    var limits = shipped().getConfigMapping(LimitConfig.class);

    assertThat(limits.maxDelegations()).isEqualTo(64);
    assertThat(limits.maxBackgroundTasks()).isEqualTo(10);
    assertThat(limits.maxDepth()).isEqualTo(5);
    assertThat(limits.maxPending()).isEqualTo(1000);
    assertThat(limits.backgroundPolicy()).isEqualTo(LimitConfig.BackgroundPolicy.QUEUE);
    assertThat(limits.maxDelegationsTotal()).isEmpty();
    assertThat(limits.maxTokens()).isEmpty();
    assertThat(limits.cap().maxDelegations()).isEmpty();
    assertThat(shipped().getConfigMapping(WakesConfig.class).chain()).isEqualTo(3);
  }

  private static SmallRyeConfig shipped() throws IOException {
    var file = ShippedLimitsTest.class.getResource("/application.properties");
    return new SmallRyeConfigBuilder()
        .withSources(new PropertiesConfigSource(Objects.requireNonNull(file)))
        .withMapping(LimitConfig.class)
        .withMapping(WakesConfig.class)
        .withMappingIgnore("**")
        .build();
  }
}
