package dev.errand.view;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.errand.auth.Caller;
import dev.errand.auth.Callers;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.session.SessionStore;
import dev.errand.view.DeliveryViews.DeliveryRow;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.hibernate.orm.panache.PanacheQuery;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * The rows that the current caller may see: its tenant for a viewer, an operator and an
 * administrator, the trees that it has opened for an agent, and one session with what is below it
 * for a session token. What a caller may not see does not exist for it.
 *
 * <p>Whose tree a session belongs to never changes, so it is read once.
 */
@Singleton
public class Visibility {

  private static final int MAX_KEPT = 50_000;

  private final Cache<UUID, Lineage> lineages = cache();
  private final Cache<UUID, UUID> sessions = cache();
  private final Reader reader;
  private final Callers callers;
  private final SessionStore store;

  Visibility(Reader reader, Callers callers, SessionStore store) {
    this.reader = reader;
    this.callers = callers;
    this.store = store;
  }

  /**
   * Returns a cache that the calling thread maintains, because waking another thread takes longer.
   */
  private static <T> Cache<UUID, T> cache() {
    return Caffeine.newBuilder().executor(Runnable::run).maximumSize(MAX_KEPT).build();
  }

  private record Lineage(String tenant, @Nullable UUID parent, @Nullable String owner) {

    boolean hasOwnerOf(Lineage other) {
      return tenant.equals(other.tenant) && Objects.equals(owner, other.owner);
    }
  }

  public boolean includes(SessionId id) {
    return includes(id.value());
  }

  public boolean includes(TaskId id) {
    return includes(id.value(), this::parentOfTask);
  }

  public boolean includes(DeliveryId id) {
    return includes(id.value(), this::receiver);
  }

  /**
   * Returns whether the caller may see both sessions and they are of the same owner, so that the
   * words of one may be shown in the other. Without authentication, all callers are one owner.
   */
  public boolean showsTogether(SessionId one, SessionId other) {
    return includes(one)
        && includes(other)
        && lineage(one.value())
            .filter(owned -> lineage(other.value()).filter(owned::hasOwnerOf).isPresent())
            .isPresent();
  }

  /** Keeps whose task this is, so that its next request need not ask the database. */
  public void remember(TaskId task, SessionId parent) {
    sessions.put(task.value(), parent.value());
  }

  private boolean includes(UUID id, Function<UUID, Optional<UUID>> session) {
    return known(sessions, id, session).filter(this::includes).isPresent();
  }

  private boolean includes(UUID session) {
    var caller = callers.current().orElse(null);
    if (caller == null) {
      return false;
    }
    return lineage(session)
        .filter(lineage -> lineage.tenant().equals(caller.tenant()))
        .filter(lineage ->
            switch (caller.role()) {
              case ADMIN, OPERATOR, VIEWER -> true;
              case AGENT -> caller.subject().equals(lineage.owner());
              case SESSION -> isWithin(session, scope(caller));
              case METRICS -> false;
            })
        .isPresent();
  }

  private boolean isWithin(@Nullable UUID session, UUID scope) {
    for (var at = session; at != null; at = lineage(at).map(Lineage::parent).orElse(null)) {
      if (at.equals(scope)) {
        return true;
      }
    }
    return false;
  }

  private static UUID scope(Caller caller) {
    return Optional.ofNullable(caller.scope()).orElseThrow().value();
  }

  private Optional<Lineage> lineage(UUID session) {
    return known(lineages, session, this::readLineage);
  }

  /** Returns what does not exist is not kept: it may exist later. */
  private static <V> Optional<V> known(
      Cache<UUID, V> kept, UUID id, Function<UUID, Optional<V>> read) {
    var value = Optional.ofNullable(kept.getIfPresent(id)).or(() -> read.apply(id));
    value.ifPresent(found -> kept.put(id, found));
    return value;
  }

  private Optional<Lineage> readLineage(UUID session) {
    return reader.first(
        () -> LineageRow.<LineageRow>find("id", session),
        row -> new Lineage(row.tenant, row.parentId, row.owner));
  }

  private Optional<UUID> parentOfTask(UUID task) {
    return found(() -> TaskRow.find("select parentSessionId from TaskRow where id = ?1", task));
  }

  private Optional<UUID> receiver(UUID delivery) {
    return found(
        () -> DeliveryRow.find("select sessionId from DeliveryRow where id = ?1", delivery));
  }

  private Optional<UUID> found(Supplier<PanacheQuery<PanacheEntityBase>> query) {
    return reader.first(() -> query.get().project(UUID.class), id -> id);
  }

  /**
   * Returns the conditions of a list that shows only what the caller may see.
   *
   * @param session the column that has the session that a row belongs to
   */
  Conditions conditions(String session) {
    var conditions = new Conditions();
    callers
        .current()
        .ifPresent(caller -> {
          switch (caller.role()) {
            case ADMIN, OPERATOR, VIEWER, METRICS -> {}
            case AGENT ->
                conditions.where(
                    session + " in (select l.id from LineageRow l where l.owner = :owner)",
                    "owner",
                    caller.subject());
            case SESSION -> within(scope(caller), session, conditions);
          }
        });
    return conditions;
  }

  /** A tree is named by its root, because it may have more sessions than a statement parameters. */
  private void within(UUID scope, String session, Conditions conditions) {
    if (lineage(scope).filter(found -> found.parent() == null).isPresent()) {
      conditions.where(
          session + " in (select l.id from LineageRow l where l.rootId = :scope)", "scope", scope);
    } else {
      conditions.where(
          session + " in :scope",
          "scope",
          store.subtree(new SessionId(scope)).stream().map(SessionId::value).toList());
    }
  }

  /** The tree that a session belongs to. */
  @Entity(name = "LineageRow")
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select session.id, session.tenant, session.parent_id, session.root_id, root.owner
      from session join session root on root.id = session.root_id
      """)
  static class LineageRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public @Nullable UUID parentId;
    public UUID rootId;
    public @Nullable String owner;
  }
}
