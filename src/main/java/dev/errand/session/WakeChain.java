package dev.errand.session;

import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * Decides which notices wake a session, and the generation of the turns that they begin
 * (architecture, rule 16). The results of all tasks that a user's turn delegates wake a root;
 * agents that keep each other busy stop after a few rounds. A child is always woken, because its
 * own limits end it.
 */
@Singleton
class WakeChain {

  private final Jdbi jdbi;
  private final TreeStore trees;
  private final int length;

  WakeChain(Jdbi jdbi, TreeStore trees, WakesConfig config) {
    this.jdbi = jdbi;
    this.trees = trees;
    this.length = config.chain();
  }

  /** Returns whether the notice of a task of this generation wakes a session at rest. */
  boolean wakes(boolean isRoot, int generation) {
    return !isRoot || generation < length;
  }

  /**
   * Returns whether there are unread entries, and all of them are notices that do not wake the
   * session.
   */
  boolean keeps(boolean isRoot, List<UnreadEntry> waiting) {
    return onlyNotices(waiting)
        && waiting.stream().noneMatch(notice -> wakes(isRoot, notice.generation()));
  }

  /**
   * Returns whether another run follows one that failed, for entries that arrived in the meantime.
   * Not for a child's notices: its task has failed with the run, so nothing waits for the child any
   * more.
   */
  boolean continuesAfterFailure(boolean isRoot, List<UnreadEntry> waiting) {
    return onlyNotices(waiting) ? isRoot && !keeps(isRoot, waiting) : !waiting.isEmpty();
  }

  /**
   * Returns the generation of the turn that takes these entries into its transcript.
   *
   * @param isFirst whether it is the first turn since the session was idle
   * @param last the last message of the transcript
   */
  static int next(
      Fence.LockedSession session,
      boolean isFirst,
      Optional<StoredMessage> last,
      List<UnreadEntry> taken) {
    if (hasMessage(taken)) {
      return session.isRoot() ? 0 : session.generation();
    }
    // Entries that were taken before may wait for the same turn.
    var unanswered =
        last.filter(message -> message.message().role() == MessageRole.USER).isPresent();
    if (unanswered && session.generation() == 0) {
      return 0;
    }
    var notices =
        taken.stream()
            .filter(entry -> entry.entry() instanceof InboxEntry.Notice)
            .mapToInt(entry -> 1 + entry.generation())
            .max();
    return isFirst && !unanswered
        ? notices.orElse(session.generation())
        : Math.max(session.generation(), notices.orElse(0));
  }

  static boolean hasMessage(List<UnreadEntry> entries) {
    return entries.stream().anyMatch(entry -> entry.entry() instanceof InboxEntry.UserMessage);
  }

  /** Restarts the generations of a root whose user acts without a message that a turn takes up. */
  @Transactional(TxType.MANDATORY)
  void restart(SessionId root) {
    jdbi.useHandle(handle ->
        handle.execute(
            "update session set generation = 0 where id = ? and generation > 0 and parent_id is null",
            root));
    trees.beginTurn(root);
  }

  private static boolean onlyNotices(List<UnreadEntry> waiting) {
    return !waiting.isEmpty()
        && waiting.stream().allMatch(entry -> entry.entry() instanceof InboxEntry.Notice);
  }

  /**
   * The number of rounds of results that may continue a root session without a message of its user.
   */
  @ConfigMapping(prefix = "errand.wakes")
  public interface WakesConfig {

    /**
     * The generation from which on the notice of a task does not wake a root session. A task that a
     * user's turn delegates has generation 0, one that its result makes the agent delegate has 1,
     * and so on. Default 3. More lets an agent continue by itself for longer; fewer bounds sooner
     * the cost of agents that keep each other busy. 0: no notice starts a turn.
     */
    @WithDefault("3")
    @Bounds(min = "0", max = "1000")
    int chain();
  }
}
