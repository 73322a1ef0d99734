package dev.errand.task;

import dev.errand.conversation.Word;

/** The tool that made a task, which determines the form of its result. */
public enum TaskKind implements Word {
  TASK,
  SPAWN
}
