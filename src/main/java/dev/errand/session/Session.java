package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A session as it stands. */
public record Session(
    SessionId id, Lineage lineage, Profile profile, Details details, Status status, Totals totals) {

  /** Its place in the tree; a root has no parent, itself as root and depth 0. */
  public record Lineage(@Nullable SessionId parent, SessionId root, int depth) {}

  /** What its runs are made of; fixed when it is created (P2). */
  public record Profile(
      String agent,
      SessionKind kind,
      String model,
      Path workspace,
      int maxTurns,
      Permissions permissions) {}

  /** What its creator wants kept with it; given back as it came. */
  public record Details(
      @Nullable String title, @Nullable JsonNode origin, @Nullable JsonNode metadata) {

    public static final Details NONE = new Details(null, null, null);
  }

  /**
   * @param takeovers workers it has lost since its last saved turn
   * @param traceParent where in a trace its run belongs; null when what woke it was not traced
   */
  public record Status(
      SessionState state,
      int takeovers,
      @Nullable String traceParent,
      Instant createdAt,
      Instant updatedAt) {}

  /** Sums over all its turns. */
  public record Totals(long inputTokens, long outputTokens, long turns, long toolCalls) {}
}
