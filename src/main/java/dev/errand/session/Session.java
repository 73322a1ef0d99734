package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A session as read from the database.
 *
 * @param tenant that it belongs to, with everything below it
 * @param parent null for a root
 * @param root the session itself when it is a root
 * @param depth 0 for a root
 * @param permissions fixed when the session is created
 * @param origin where the conversation takes place, as the creator gave it
 * @param takeovers workers that the session has lost since its last saved turn
 * @param generation of its turns: how far they are from an act of the user
 * @param traceParent the trace that the next run belongs to; null when what woke the session was
 *     not traced
 * @param nonce marks the service's own words in what is sent to the model; shown to no client
 */
public record Session(
    SessionId id,
    String tenant,
    @Nullable SessionId parent,
    SessionId root,
    int depth,
    String agent,
    SessionKind kind,
    String model,
    Path workspace,
    int maxTurns,
    Permissions permissions,
    @Nullable JsonNode origin,
    SessionState state,
    int takeovers,
    int generation,
    @Nullable String traceParent,
    String nonce) {

  /**
   * Returns whether it is a child whose loop this service runs, so that it works on a task of its
   * own.
   */
  public boolean isHostedChild() {
    return parent != null && kind == SessionKind.HOSTED;
  }
}
