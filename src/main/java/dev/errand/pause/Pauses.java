package dev.errand.pause;

import dev.errand.auth.Audit;
import dev.errand.auth.Caller;
import dev.errand.auth.Callers;
import dev.errand.conversation.PauseId;
import dev.errand.node.Hints;
import dev.errand.node.LocalCopy;
import dev.errand.node.Topic;
import dev.errand.secret.Secrets;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The pauses that are in force. Each node keeps them in memory and reads them again after every
 * change and once a second while there is one.
 */
@Singleton
public class Pauses {

  /** Whether there is a pause. */
  public static final String SOME = "exists (select 1 from pause)";

  /**
   * The number of pauses of one tenant's agents and providers, which operators make: each node has
   * all of them in memory. Pauses of whole tenants and of everything have room of their own.
   */
  public static final int MOST = 100;

  private static final String INSERT =
      """
      insert into pause (id, scope, name, tenant, reason, created_by)
      select :id, :scope, :name, :tenant, :reason, :by
      where (
        select count(*) from pause
        where tenant is not distinct from :tenant
          and (scope in ('all', 'tenant')) = (:scope in ('all', 'tenant'))) < :most
      returning *
      """;

  private final Jdbi jdbi;
  private final Callers callers;
  private final Audit audit;
  private final Hints hints;
  private final LocalCopy<List<Pause>> inForce =
      new LocalCopy<>("pauses", () -> List.copyOf(read()));

  Pauses(Jdbi jdbi, Callers callers, Audit audit, Hints hints) {
    this.jdbi = jdbi;
    this.callers = callers;
    this.audit = audit;
    this.hints = hints;
  }

  /** Returns the pauses that this node knows, the oldest first. */
  public List<Pause> inForce() {
    return inForce.get();
  }

  /**
   * Returns the oldest pause, as far as this node knows, that applies to sessions of this tenant
   * and agent with this model.
   *
   * @param model with its provider, as sessions store it
   */
  public Optional<Pause> applyingTo(String tenant, String agent, String model) {
    return inForce().stream().filter(pause -> pause.appliesTo(tenant, agent, model)).findFirst();
  }

  /** Loads the pauses before any run can begin. */
  void load(@Observes @Priority(-2) StartupEvent start) {
    var ignored = refresh();
  }

  /** Reads the pauses again. */
  public List<Pause> refresh() {
    return inForce.refresh();
  }

  /**
   * Makes a pause. It is committed when this returns.
   *
   * @return empty when there are too many of this kind
   */
  public Optional<Pause> begin(
      Pause.PauseScope scope, @Nullable String name, @Nullable String tenant, String reason) {
    var made = QuarkusTransaction.requiringNew().call(() -> insert(scope, name, tenant, reason));
    made.ifPresent(_ -> inForce.refreshAfterChange());
    return made;
  }

  private Optional<Pause> insert(
      Pause.PauseScope scope, @Nullable String name, @Nullable String tenant, String reason) {
    var made =
        jdbi.withHandle(handle ->
            handle
                .createQuery(INSERT)
                .bind("id", PauseId.next())
                .bind("scope", scope)
                .bind("name", name)
                .bind("tenant", tenant)
                .bind("reason", Secrets.masked(reason))
                .bind("by", callers.current().map(Caller::subject).orElse(null))
                .bind("most", MOST)
                .mapTo(Pause.class)
                .findOne());
    made.ifPresent(pause -> {
      var details = new HashMap<String, String>();
      details.put("scope", scope.word());
      details.put("name", name);
      details.put("reason", pause.reason());
      audit.record("pause.create", null, pause.id(), details);
      hints.afterCommit(Topic.PAUSES);
    });
    return made;
  }

  /**
   * Returns whether the caller may see a pause. Administrators see all pauses, operators those of
   * their tenant and those of all tenants. Other roles see none.
   */
  public boolean isVisible(Pause pause) {
    return callers
        .current()
        .filter(caller ->
            switch (caller.role()) {
              case ADMIN -> true;
              case OPERATOR -> pause.tenant() == null || pause.tenant().equals(caller.tenant());
              case AGENT, VIEWER, METRICS, SESSION -> false;
            })
        .isPresent();
  }

  /** Returns the pauses that are in force, the oldest first. */
  public List<Pause> read() {
    return jdbi.withHandle(
        handle -> handle.createQuery("select * from pause order by id").mapTo(Pause.class).list());
  }

  /** Ends a pause. Idempotent. */
  public void end(PauseId id) {
    QuarkusTransaction.requiringNew().run(() -> delete(id));
    inForce.refreshAfterChange();
  }

  private void delete(PauseId id) {
    var ended = jdbi.withHandle(handle -> handle.execute("delete from pause where id = ?", id));
    if (ended == 1) {
      audit.record("pause.delete", null, id, Map.of());
      hints.afterCommit(Topic.PAUSES);
    }
  }
}
