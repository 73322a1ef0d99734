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
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;

/** Shows what sessions and the children of tasks may do. Called in the transaction of a reader. */
@Singleton
class RightsViews {

  private final Json json;
  private final ToolBox toolBox;

  RightsViews(Json json, ToolBox toolBox) {
    this.json = json;
    this.toolBox = toolBox;
  }

  /** Returns the permissions of a session, and the tools that it has now. */
  Optional<Rights> ofSession(UUID id) {
    return SessionRightsRow.<SessionRightsRow>findByIdOptional(id).map(this::rights);
  }

  private Rights rights(SessionRightsRow row) {
    var permissions =
        Permissions.stored(
            json.read(row.grants, new TypeReference<>() {}),
            json.read(row.grantsFrom, new TypeReference<>() {}));
    return new Rights(permissions.layers(), tools(row, permissions));
  }

  private List<String> tools(SessionRightsRow row, Permissions permissions) {
    return row.kind.equals(SessionKind.EXTERNAL.word())
        ? toolBox.namesOutside(permissions, row.agent, AgentDefinition.DELEGATION)
        : toolBox.usable(permissions, row.agent);
  }

  /** Returns what the child of a task may do, as it was when the task was accepted. */
  Optional<Rights> ofTask(UUID id) {
    return TaskRightsRow.<TaskRightsRow>findByIdOptional(id)
        .map(row -> json.read(row.rights, Rights.class));
  }

  /** The permissions of a session, as JSON. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select id, tenant, agent, kind, grants, grants_from from session
      """)
  static class SessionRightsRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public String agent;
    public String kind;
    public String grants;
    public String grantsFrom;
  }

  /** The rights of a task's child, as JSON. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select id, tenant, rights from task
      """)
  static class TaskRightsRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public String rights;
  }
}
