package dev.errand.task.notice;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;

/** The operator's own notice templates. */
@ConfigMapping(prefix = "errand.templates")
public interface TemplatesConfig {

  /**
   * A directory with files that have the names of built-in templates and replace these. Default
   * {@code templates}, relative to the directory in which the service is started; it may be absent.
   */
  @WithDefault("templates")
  Path dir();
}
