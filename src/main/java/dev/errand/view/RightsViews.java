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

  /**
   * The permissions of a session, as JSON, and how many of their layers are those of its parent.
   */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select session.id, session.tenant, session.agent, session.kind, session.grants, session.grants_from,
             coalesce(jsonb_array_length(parent.grants), 0) as inherited
      from session left join session parent on parent.id = session.parent_id
      """)
  static class SessionRightsRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public String agent;
    public String kind;
    public String grants;
    public @Nullable String grantsFrom;
    public int inherited;
  }

  /** What the child of a task may do, as JSON. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select id, tenant, coalesce(session_id, queued_for) as session_id, rights from task
      """)
  static class TaskRightsRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public UUID sessionId;
    public @Nullable String rights;
  }
}
