package dev.errand.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Cost;
import dev.errand.conversation.PauseId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.outbox.CallbackView;
import dev.errand.postgres.Json;
import dev.errand.session.LimitConfig;
import dev.errand.session.Limits;
import dev.errand.session.SessionFailures.SessionError;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionPause;
import dev.errand.session.SessionState;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows sessions together with their callbacks. */
@Singleton
public class SessionViews {

  private final Reader reader;
  private final Visibility visibility;
  private final Json json;
  private final LimitConfig config;
  private final RightsViews rights;

  SessionViews(
      Reader reader, Visibility visibility, Json json, LimitConfig config, RightsViews rights) {
    this.reader = reader;
    this.visibility = visibility;
    this.json = json;
    this.config = config;
    this.rights = rights;
  }

  /** Finds a session with the limits of its tree and its rights. */
  public Optional<SessionView> find(SessionId id) {
    return find(id, Optional.empty());
  }

  /**
   * Finds a session, as the client that has opened it sees it.
   *
   * @param registered its callback with the secret; empty without a callback
   */
  public Optional<SessionView> find(SessionId id, Optional<CallbackView> registered) {
    return reader.call(() ->
        SessionRow.<SessionRow>findByIdOptional(id.value())
            .flatMap(session ->
                TreeRow.<TreeRow>findByIdOptional(session.rootId)
                    .flatMap(tree ->
                        rights
                            .ofSession(session.id)
                            .map(own ->
                                SessionView.of(
                                    summary(session),
                                    limits(tree).within(config.cap()),
                                    own,
                                    registered.orElse(callback(session)))))));
  }

  public Slice<SessionSummary> page(SessionFilter filter, Listing page) {
    var kind = filter.kind();
    var where =
        visibility
            .conditions("id")
            .where("parentId = :parent", "parent", value(filter.parent()))
            .where("rootId = :root", "root", value(filter.root()))
            .where("depth = :depth", "depth", filter.roots() ? 0 : null)
            .whereAny(
                "state in :states",
                "states",
                filter.states().stream().map(SessionState::word).toList())
            .where("agent = :agent", "agent", filter.agent())
            .where("kind = :kind", "kind", kind == null ? null : kind.word())
            .json("metadata", filter.metadata())
            .created(filter.created())
            .words(SessionSearchRow.class, filter.words())
            .page(page);
    return reader.page(
        () -> SessionRow.<SessionRow>find(where.text(), page.sort(), where.values()),
        page.limit(),
        this::summary);
  }

  SessionSummary summary(SessionRow row) {
    return new SessionSummary(
        new SessionId(row.id),
        row.parentId == null ? null : new SessionId(row.parentId),
        new SessionId(row.rootId),
        row.depth,
        row.agent,
        row.kind,
        row.title,
        row.opening,
        row.state,
        row.model,
        row.workspace,
        new UsageTotals(
            row.inputTokens,
            row.cachedInputTokens,
            row.outputTokens,
            row.turns,
            row.toolCalls,
            Cost.ofMicros(row.cost)),
        json(row.origin),
        json(row.metadata),
        row.waitingNotices,
        row.liveTasks,
        lastError(row),
        WaitView.of(row.waitsFor, row.waitsSince, row.waitsUntil),
        row.waitsUntil,
        pause(row),
        row.createdAt,
        row.updatedAt,
        callback(row));
  }

  private static @Nullable SessionError lastError(SessionRow row) {
    return row.errorCode == null || row.errorMessage == null || row.errorAt == null
        ? null
        : new SessionError(row.errorCode, row.errorMessage, row.errorAt);
  }

  private static @Nullable SessionPause pause(SessionRow row) {
    return row.waitsSince == null || row.waitsOn == null || row.pauseReason == null
        ? null
        : new SessionPause(new PauseId(row.waitsOn), row.pauseReason, row.waitsSince);
  }

  private @Nullable JsonNode json(@Nullable String text) {
    var value = json.readTree(text);
    return value == null ? null : Content.shallow(value);
  }

  private static @Nullable CallbackView callback(SessionRow row) {
    return row.callbackUrl == null
        ? null
        : new CallbackView(
            row.callbackUrl, null, row.callbackDisabledAt == null ? "active" : "disabled");
  }

  private static Limits limits(TreeRow row) {
    return new Limits(
        row.maxDepth,
        row.maxDelegations,
        row.maxDelegationsTotal,
        row.maxBackgroundTasks,
        row.maxTokens,
        Cost.ofMicros(row.maxCost));
  }

  private static @Nullable UUID value(@Nullable SessionId id) {
    return id == null ? null : id.value();
  }

  /**
   * The sessions that a list shows; null and empty mean any.
   *
   * @param roots whether only root sessions are shown
   * @param words each of them is part of the title
   * @param metadata the texts that the metadata has for these keys
   */
  public record SessionFilter(
      @Nullable SessionId parent,
      @Nullable SessionId root,
      boolean roots,
      List<SessionState> states,
      @Nullable String agent,
      @Nullable SessionKind kind,
      @Nullable String words,
      Map<String, String> metadata,
      Period created) {

    /** All sessions of the tree with this root. */
    static SessionFilter within(SessionId root) {
      return new SessionFilter(
          null, root, false, List.of(), null, null, null, Map.of(), new Period(null, null));
    }
  }

  /**
   * The title of one of the newest 10,000 sessions of a tenant, in lower case. The bound keeps a
   * search from reading all rows.
   */
  @Entity(name = "SessionSearchRow")
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select newest.id, newest.text, tenant.id as tenant
      from tenant cross join lateral (
        select id, lower(title) as text from session
        where session.tenant = tenant.id order by id desc limit 10000) newest
      """)
  static class SessionSearchRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public @Nullable String text;
  }

  /** The limits of a tree of sessions. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select tree.*, session.tenant from tree join session on session.id = tree.root_id
      """)
  static class TreeRow extends PanacheEntityBase {

    @Id public UUID rootId;
    @TenantId public String tenant;
    public int maxDepth;
    public int maxDelegations;
    public int maxBackgroundTasks;
    public @Nullable Long maxTokens;
    public @Nullable Integer maxDelegationsTotal;
    public @Nullable Long maxCost;
  }
}
