package dev.errand.session;

import dev.errand.conversation.Word;

/** The place where a session's loop runs. */
public enum SessionKind implements Word {
  /** In this service. */
  HOSTED,
  /** Elsewhere; here the session only owns tasks and reads their notices. */
  EXTERNAL
}
