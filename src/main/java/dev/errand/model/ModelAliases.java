package dev.errand.model;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithParentName;
import java.util.Map;

/** Short names for models. */
@ConfigMapping(prefix = "errand.model-aliases")
public interface ModelAliases {

  /**
   * {@code errand.model-aliases.haiku=anthropic:claude-haiku-4-5}: a name, in upper or lower case,
   * that can be used in place of a model. Default none.
   */
  @WithParentName
  Map<String, @WithConverter(ModelNameConverter.class) String> models();
}
