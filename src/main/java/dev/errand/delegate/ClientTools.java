package dev.errand.delegate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.agent.AgentDefinition;
import dev.errand.auth.Callers;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionStore;
import dev.errand.tool.ArgumentCheck;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.ToolUser;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The tools for agents whose loop runs elsewhere. */
@Singleton
public class ClientTools {

  private final ToolBox toolBox;
  private final Callers callers;
  private final SessionStore sessions;
  private final Map<String, ArgumentCheck> checks = new ConcurrentHashMap<>();

  ClientTools(ToolBox toolBox, Callers callers, SessionStore sessions) {
    this.toolBox = toolBox;
    this.callers = callers;
    this.sessions = sessions;
  }

  /** Returns the names of the tools that the client of an external session may call. */
  public List<String> namesOutside(Session session) {
    toolBox.prepare(session.agent());
    return toolBox.namesOutside(session.permissions(), session.agent(), AgentDefinition.DELEGATION);
  }

  /**
   * Returns all tools of a hosted session; of an external session those that its client may call.
   */
  public List<ToolDefinition> of(Session session) {
    var offered =
        toolBox.offered(session.permissions(), new ToolUser(session.tenant(), session.agent()));
    if (session.kind() == SessionKind.HOSTED) {
      return offered;
    }
    var names = Set.copyOf(namesOutside(session));
    return offered.stream().filter(tool -> names.contains(tool.name())).toList();
  }

  /**
   * Returns the tools with which the current caller can delegate. A session token shows no more
   * than its session may use.
   */
  public List<ToolDefinition> forCaller() {
    var user = new ToolUser(callers.tenant(), ToolContext.NO_AGENT);
    return toolBox.offered(permissions(), user).stream()
        .filter(tool -> AgentDefinition.DELEGATION.contains(tool.name()))
        .toList();
  }

  private Permissions permissions() {
    return callers
        .current()
        .flatMap(caller -> Optional.ofNullable(caller.scope()))
        .flatMap(sessions::find)
        .map(Session::permissions)
        .orElse(Permissions.ALL);
  }

  /**
   * Returns the arguments of a call with the names of the tool's schema, and without nulls.
   *
   * @throws ToolFailure they do not fit the schema
   */
  public ObjectNode checked(String tool, ObjectNode given) {
    var called = toolBox.find(tool).orElseThrow();
    var arguments = given.deepCopy();
    arguments.removeNulls();
    called.canonicalize(arguments);
    var problems =
        checks
            .computeIfAbsent(tool, _ -> new ArgumentCheck(called.definition().parameters()))
            .problems(arguments);
    if (!problems.isEmpty()) {
      throw ToolFailure.invalid(tool, problems);
    }
    return arguments;
  }

  public ToolEffect effect(ToolDefinition tool) {
    return toolBox.find(tool.name()).map(Tool::effect).orElse(ToolEffect.SIDE_EFFECT);
  }
}
