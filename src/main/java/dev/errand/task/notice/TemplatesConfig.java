package dev.errand.task.notice;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;

/** Where an operator's own notice texts lie. */
@ConfigMapping(prefix = "errand.templates")
public interface TemplatesConfig {

  /**
   * A folder with files named as the built-in templates, each instead of the one of its name.
   * Default {@code templates}, from where the service is started; absent is fine.
   */
  @WithDefault("templates")
  Path dir();
}
