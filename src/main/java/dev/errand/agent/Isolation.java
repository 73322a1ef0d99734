package dev.errand.agent;

import dev.errand.conversation.Word;

/** The place where a child works. */
public enum Isolation implements Word {
  /** In the workspace of its parent. */
  SHARED,
  /** In a copy of its own; its changes come back as a patch. */
  WORKTREE
}
