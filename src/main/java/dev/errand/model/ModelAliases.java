package dev.errand.model;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithParentName;
import jakarta.validation.constraints.Pattern;
import java.util.Map;

/** Short names of models (G4). */
@ConfigMapping(prefix = "errand.model-aliases")
public interface ModelAliases {

  /**
   * {@code errand.model-aliases.haiku=anthropic:claude-haiku-4-5}: a name that may stand wherever a
   * model is named, in upper or lower case. Default none.
   */
  @WithParentName
  Map<String, @Pattern(regexp = "[^:\\s]+:\\S+", message = "must be provider:name") String>
      models();
}
