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
   * Makes ready what this agent alone has: begins what is not begun, and waits until it is there or
   * has failed, which is not for ever. Where all is there, or there is nothing, it returns at once.
   * On a thread that may be interrupted.
   */
  void prepare(String agent);

  /**
   * Why there is no tool of that name at present, if it would be one of this source and of this
   * agent: a sentence for the model.
   */
  Optional<String> whyAbsent(String name, String agent);
}
