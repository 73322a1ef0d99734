package dev.errand.view;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.agent.AgentDefinition;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rights;
import dev.errand.postgres.Json;
import dev.errand.session.SessionKind;
import dev.errand.tool.ToolBox;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows what sessions and the children of tasks may do. Called in the transaction of a reader. */
@Singleton
class RightsViews {

  private final Json json;
  private final ToolBox toolBox;

  RightsViews(Json json, ToolBox toolBox) {
    this.json = json;
    this.toolBox = toolBox;
  }

  /** The permissions of a session, and the tools that it has now. */
  Optional<Rights> ofSession(UUID id) {
    return SessionRightsRow.<SessionRightsRow>findByIdOptional(id).map(this::rights);
  }

  private Rights rights(SessionRightsRow row) {
    var permissions =
        Permissions.stored(
            json.read(row.grants, new TypeReference<>() {}),
            row.grantsFrom == null ? null : json.read(row.grantsFrom, new TypeReference<>() {}),
            row.inherited);
    return new Rights(permissions.layers(), tools(row, permissions));
  }

  private List<String> tools(SessionRightsRow row, Permissions permissions) {
    return row.kind.equals(SessionKind.EXTERNAL.word())
        ? toolBox.namesOutside(permissions, row.agent, AgentDefinition.DELEGATION)
        : toolBox.usable(permissions, row.agent);
  }

  /** What the child of a task may do, as it was when the task was accepted. */
  Optional<Rights> ofTask(UUID id) {
    return TaskRightsRow.<TaskRightsRow>findByIdOptional(id)
        .flatMap(row ->
            row.rights == null
                ? ofSession(row.sessionId)
                : Optional.of(json.read(row.rights, Rights.class)));
  }

  /** A row of {@code session_rights_view}: the permissions of a session, as JSON. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Table(name = "session_rights_view")
  static class SessionRightsRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public String agent;
    public String kind;
    public String grants;
    public @Nullable String grantsFrom;
    public int inherited;
  }

  /** A row of {@code task_rights_view}: what the child of a task may do, as JSON. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Table(name = "task_rights_view")
  static class TaskRightsRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public UUID sessionId;
    public @Nullable String rights;
  }
}
