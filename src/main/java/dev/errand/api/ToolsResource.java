package dev.errand.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.agent.AgentDefinition;
import dev.errand.api.http.Refusal;
import dev.errand.auth.Callers;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import dev.errand.run.ClientCallRunner;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionStore;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolContext.ToolUser;
import dev.errand.view.Visibility;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Definitions of tools, for agents whose loop runs elsewhere. */
@Path("/v1/tools")
@RunOnVirtualThread
class ToolsResource {

  private final ToolBox toolBox;
  private final SessionStore sessions;
  private final Visibility visibility;
  private final ClientCallRunner calls;
  private final Callers callers;

  ToolsResource(
      ToolBox toolBox,
      SessionStore sessions,
      Visibility visibility,
      ClientCallRunner calls,
      Callers callers) {
    this.toolBox = toolBox;
    this.sessions = sessions;
    this.visibility = visibility;
    this.calls = calls;
    this.callers = callers;
  }

  /**
   * The answer.
   *
   * @param tools in the form in which they are sent to a model in the field of the same name
   */
  record Tools(List<ObjectNode> tools) {}

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  public Tools list(
      @QueryParam("session_id") @Nullable String session,
      @QueryParam("format") @DefaultValue("openai") ToolFormat format) {
    var tools = session == null ? forDelegating(callersPermissions()) : of(find(session));
    return new Tools(tools.map(tool -> format.write(tool, effect(tool))).toList());
  }

  private Stream<ToolDefinition> of(Session session) {
    var permissions = session.permissions();
    var offered =
        toolBox.offered(permissions, new ToolUser(session.tenant(), session.agent())).stream();
    if (session.kind() == SessionKind.HOSTED) {
      return offered;
    }
    var names = Set.copyOf(calls.offered(session));
    return offered.filter(tool -> names.contains(tool.name()));
  }

  /** A session token shows no more than its session may use. */
  private Permissions callersPermissions() {
    return callers
        .current()
        .flatMap(caller -> Optional.ofNullable(caller.scope()))
        .flatMap(sessions::find)
        .map(Session::permissions)
        .orElse(Permissions.ALL);
  }

  private Stream<ToolDefinition> forDelegating(Permissions permissions) {
    return toolBox
        .offered(permissions, new ToolUser(callers.tenant(), ToolContext.NO_AGENT))
        .stream()
        .filter(tool -> AgentDefinition.DELEGATION.contains(tool.name()));
  }

  private ToolEffect effect(ToolDefinition tool) {
    return toolBox.find(tool.name()).map(Tool::effect).orElse(ToolEffect.SIDE_EFFECT);
  }

  private Session find(String id) {
    return SessionId.parse(id)
        .filter(visibility::includes)
        .flatMap(sessions::find)
        .orElseThrow(() -> Refusal.notFound("session", id));
  }

  /**
   * The formats of tool definitions.
   *
   * <pre>{@code
   * openai     {"type": "function", "function": {"name": "task", "description": "…", "parameters": {…}}}
   * anthropic  {"name": "task", "description": "…", "input_schema": {…}}
   * mcp        {"name": "task", "title": "Delegate task", "description": "…", "inputSchema": {…}, "annotations": {"readOnlyHint": false, …}}
   * }</pre>
   */
  enum ToolFormat {
    @JsonProperty("openai")
    OPENAI {
      @Override
      ObjectNode write(ToolDefinition tool, ToolEffect effect) {
        var outer = JsonNodeFactory.instance.objectNode().put("type", "function");
        outer.set("function", named(tool).set("parameters", tool.parameters()));
        return outer;
      }
    },
    @JsonProperty("anthropic")
    ANTHROPIC {
      @Override
      ObjectNode write(ToolDefinition tool, ToolEffect effect) {
        return named(tool).set("input_schema", tool.parameters());
      }
    },
    @JsonProperty("mcp")
    MCP {
      @Override
      ObjectNode write(ToolDefinition tool, ToolEffect effect) {
        var outer = named(tool);
        if (tool.title() != null) {
          outer.put("title", tool.title());
        }
        outer.set("inputSchema", tool.parameters());
        outer
            .putObject("annotations")
            .put("readOnlyHint", effect == ToolEffect.PURE)
            .put("destructiveHint", effect != ToolEffect.PURE)
            .put("idempotentHint", effect == ToolEffect.PURE);
        return outer;
      }
    };

    abstract ObjectNode write(ToolDefinition tool, ToolEffect effect);

    private static ObjectNode named(ToolDefinition tool) {
      return JsonNodeFactory.instance
          .objectNode()
          .put("name", tool.name())
          .put("description", tool.description());
    }
  }
}
