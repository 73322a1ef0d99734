package dev.errand.tool.web;

import dev.errand.conversation.SessionId;
import java.util.List;

/** The texts that users wrote, as opposed to models, tools and pages. */
public interface UserMessages {

  /** Returns the texts that clients sent to the tree of a session. */
  List<String> inTreeOf(SessionId session);
}
