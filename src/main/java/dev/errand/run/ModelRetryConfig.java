package dev.errand.run;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Retries of model calls. */
@ConfigMapping(prefix = "errand.model-retry")
public interface ModelRetryConfig {

  /**
   * The number of attempts for one call of a model that is away before the run gives its worker
   * back, at most within 5 s; then the session waits in the database for {@code
   * errand.models.patience}. Default 3. More attempts bridge short failures faster; fewer free the
   * worker sooner. An answer that cannot be read is asked for again in the same way. A call that
   * fails for another reason is not repeated.
   */
  @WithDefault("3")
  @Bounds(min = "1", max = "100")
  int attempts();

  /**
   * The longest wait before the second attempt; each further attempt doubles it, also when the
   * session waits in the database. The wait itself is random. Default 1 s. A shorter wait answers
   * sooner after a short failure; a longer one spares an overloaded endpoint.
   */
  @WithDefault("1s")
  Duration firstDelay();

  /** The limit of every wait, unless the provider asks for a longer one. Default 30 s. */
  @WithDefault("30s")
  Duration longestDelay();
}
