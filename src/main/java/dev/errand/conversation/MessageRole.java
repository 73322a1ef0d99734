package dev.errand.conversation;

/** The author of a message. */
public enum MessageRole implements Word {
  /** The service itself, for readers of the transcript; never sent to a model. */
  SYSTEM,
  USER,
  ASSISTANT,
  TOOL
}
