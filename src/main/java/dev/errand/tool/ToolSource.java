package dev.errand.tool;

import java.util.List;
import java.util.Optional;

/** Tools that come and go while the service runs. Found by the {@link ToolBox}. */
public interface ToolSource {

  /**
   * The tools there are now. Asked at every look-up: answers at once, and with the same list as
   * long as nothing changed.
   */
  List<Tool> tools();

  /**
   * Why there is no tool of that name at present, if it would be one of this source: a sentence for
   * the model.
   */
  Optional<String> whyAbsent(String name);
}
