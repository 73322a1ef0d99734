package dev.errand.delegate;

import dev.errand.agent.AgentDefinition;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolContext.ToolUser;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;

/** The tools for agents whose loop runs elsewhere. */
@Singleton
public class ClientTools {

  private final ToolBox toolBox;

  ClientTools(ToolBox toolBox) {
    this.toolBox = toolBox;
  }

  /** The names of the tools that the client of an external session may call. */
  public List<String> namesOutside(Session session) {
    toolBox.prepare(session.agent());
    return toolBox.namesOutside(session.permissions(), session.agent(), AgentDefinition.DELEGATION);
  }

  /** All tools of a hosted session; of an external session those that its client may call. */
  public List<ToolDefinition> of(Session session) {
    var offered =
        toolBox.offered(session.permissions(), new ToolUser(session.tenant(), session.agent()));
    if (session.kind() == SessionKind.HOSTED) {
      return offered;
    }
    var names = Set.copyOf(namesOutside(session));
    return offered.stream().filter(tool -> names.contains(tool.name())).toList();
  }

  /** The tools for delegation of a session that may have these permissions. */
  public List<ToolDefinition> forDelegating(String tenant, Permissions permissions) {
    return toolBox.offered(permissions, new ToolUser(tenant, ToolContext.NO_AGENT)).stream()
        .filter(tool -> AgentDefinition.DELEGATION.contains(tool.name()))
        .toList();
  }

  public ToolEffect effect(ToolDefinition tool) {
    return toolBox.find(tool.name()).map(Tool::effect).orElse(ToolEffect.SIDE_EFFECT);
  }
}
