package dev.errand.task;

import dev.errand.agent.AgentDefinition;
import dev.errand.agent.PermissionNames;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rights;
import dev.errand.permission.Rule;
import dev.errand.session.Session;
import dev.errand.session.SessionSpec;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.ToolBox;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rights of child sessions: no more than their parent, their agent and the call allow. */
@Singleton
class ChildRights {

  /** In all layers of a child, so that its permissions can always be stored and shown. */
  private static final int MAX_RULES = 500;

  private final PermissionNames names;
  private final ToolBox toolBox;

  ChildRights(PermissionNames names, ToolBox toolBox) {
    this.names = names;
    this.toolBox = toolBox;
  }

  /** The permissions of a new child; invalid if there are problems. */
  record PlannedRights(Permissions permissions, List<FieldProblem> problems) {}

  /**
   * @param requested the rules of the call
   */
  PlannedRights of(Session parent, AgentDefinition agent, @Nullable List<Rule> requested) {
    var checked = names.check(requested, parent.tenant());
    var permissions = agent.asChildOf(parent.permissions()).narrowedBy(checked.rules());
    if (!checked.problems().isEmpty()
        || checked.rules().isEmpty()
        || permissions.size() <= MAX_RULES) {
      return new PlannedRights(permissions, checked.problems());
    }
    var tooMany =
        "the subagent would have %d rules with those of its parent and its agent; at most %d are possible"
            .formatted(permissions.size(), MAX_RULES);
    return new PlannedRights(permissions, List.of(new FieldProblem("permissions", tooMany)));
  }

  /** Returns the rights of a child as its task keeps them. */
  Rights shown(SessionSpec child) {
    var permissions = child.permissions();
    return new Rights(permissions.layers(), toolBox.usable(permissions, child.agent()));
  }
}
