package dev.errand.tool;

import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import java.nio.file.Path;
import java.util.List;

/**
 * The caller of a tool and its workspace.
 *
 * @param epoch the fencing token of the run; a write to the session checks that it is still current
 * @param toolCallId unique in the session, and the same when the call is repeated after a crash
 * @param user the tenant and the agent of the session
 * @param workspace an existing directory; file tools see nothing outside it
 * @param progress receives the output of a long call while it runs
 * @param permissions the permissions of the caller, for tools that check them during the call. Set
 *     by the {@link ToolBox}; before, nothing is allowed
 */
public record ToolContext(
    SessionId session,
    long epoch,
    String toolCallId,
    Path workspace,
    ToolUser user,
    ToolProgress progress,
    Permissions permissions) {

  /** No particular agent. */
  public static final String NO_AGENT = "";

  private static final Permissions NONE = Permissions.ALL.narrowedBy(List.of(Rule.deny("*")));

  /** A call without progress reports. */
  public ToolContext(SessionId session, long epoch, String toolCallId, Path workspace) {
    this(session, epoch, toolCallId, workspace, ToolProgress.NONE);
  }

  public ToolContext(
      SessionId session, long epoch, String toolCallId, Path workspace, ToolProgress progress) {
    this(session, epoch, toolCallId, workspace, ToolUser.NOBODY, progress, NONE);
  }

  /** Returns the same call by a session of this agent. */
  public ToolContext by(ToolUser caller) {
    return new ToolContext(session, epoch, toolCallId, workspace, caller, progress, permissions);
  }

  public String tenant() {
    return user.tenant();
  }

  /** Returns the name of the agent; empty for no particular agent. */
  public String agent() {
    return user.agent();
  }

  ToolContext with(Permissions granted) {
    return new ToolContext(session, epoch, toolCallId, workspace, user, progress, granted);
  }

  /** Receives the output of a call while it runs. */
  @FunctionalInterface
  public interface ToolProgress {

    /** Discards the output. */
    ToolProgress NONE = _ -> {};

    /**
     * Receives a piece of the output, in order, a few times per second at most. Pieces may be
     * missing, and a piece is empty if there is no new output. Runs on the thread of the call: must
     * return quickly and must not throw.
     */
    void said(String text);
  }
}
