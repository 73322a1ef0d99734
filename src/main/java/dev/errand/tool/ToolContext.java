package dev.errand.tool;

import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.nio.file.Path;
import java.util.List;

/**
 * Who calls a tool, and where.
 *
 * @param epoch the run's fencing token; whoever writes to the session must still find it there
 * @param toolCallId unique in the session, and the same when the call is made again after a crash
 * @param agent the session's; empty: none in particular
 * @param workspace an existing folder; file tools see nothing outside it
 * @param progress hears what a long call says meanwhile
 * @param permissions what the caller may do; for tools to which it shows late what a call is about.
 *     The {@link ToolBox} sets them; nothing is allowed before
 */
public record ToolContext(
    SessionId session,
    long epoch,
    String toolCallId,
    Path workspace,
    String agent,
    ToolProgress progress,
    Permissions permissions) {

  /** No agent in particular. */
  static final String NO_AGENT = "";

  private static final Permissions NONE = Permissions.ALL.narrowedBy(List.of(Rule.deny("*")));

  /** A call that nobody listens to. */
  public ToolContext(SessionId session, long epoch, String toolCallId, Path workspace) {
    this(session, epoch, toolCallId, workspace, ToolProgress.NONE);
  }

  public ToolContext(
      SessionId session, long epoch, String toolCallId, Path workspace, ToolProgress progress) {
    this(session, epoch, toolCallId, workspace, NO_AGENT, progress, NONE);
  }

  /** The same call by a session of this agent. */
  public ToolContext by(String caller) {
    return new ToolContext(session, epoch, toolCallId, workspace, caller, progress, permissions);
  }

  ToolContext with(Permissions granted) {
    return new ToolContext(session, epoch, toolCallId, workspace, agent, progress, granted);
  }
}
