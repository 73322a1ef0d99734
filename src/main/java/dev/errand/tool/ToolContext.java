package dev.errand.tool;

import dev.errand.conversation.SessionId;
import java.nio.file.Path;

/**
 * Who calls a tool, and where.
 *
 * @param epoch the run's fencing token; whoever writes to the session must still find it there
 * @param toolCallId unique in the session, and the same when the call is made again after a crash
 * @param workspace an existing folder; file tools see nothing outside it
 * @param progress hears what a long call says meanwhile
 */
public record ToolContext(
    SessionId session, long epoch, String toolCallId, Path workspace, ToolProgress progress) {

  /** A call that nobody listens to. */
  public ToolContext(SessionId session, long epoch, String toolCallId, Path workspace) {
    this(session, epoch, toolCallId, workspace, ToolProgress.NONE);
  }
}
