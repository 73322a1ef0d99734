package dev.errand.context;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Configuration of the part of a conversation that is sent to models. */
@ConfigMapping(prefix = "errand.context")
interface ContextConfig {

  /**
   * The number of characters that the results of one turn's tool calls may have together, at most a
   * third of the model's context window. Default 150000. More lets a model read more in one turn;
   * fewer leaves more of the window to the rest of the conversation.
   */
  @WithDefault("150000")
  @Bounds(min = "1000")
  int turnResultChars();
}
