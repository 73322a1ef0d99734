package dev.errand.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.api.http.Refusal;
import dev.errand.auth.Callers;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.delegate.ClientTools;
import dev.errand.delegate.ToolFormat;
import dev.errand.permission.Permissions;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import dev.errand.view.Visibility;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Definitions of tools, for agents whose loop runs elsewhere. */
@Path("/v1/tools")
@RunOnVirtualThread
@Tag(name = "Tools")
class ToolsResource {

  private final ClientTools tools;
  private final SessionStore sessions;
  private final Visibility visibility;
  private final Callers callers;

  ToolsResource(ClientTools tools, SessionStore sessions, Visibility visibility, Callers callers) {
    this.tools = tools;
    this.sessions = sessions;
    this.visibility = visibility;
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
  @Operation(
      summary = "Get definitions of tools for a request to a model",
      description =
          "The field `tools` can be sent unchanged: as the field of the same name of a request to"
              + " OpenAI's chat completions or Anthropic's messages, or as the result of tools/list"
              + " of MCP.")
  @APIResponse(responseCode = "200", description = "The definitions")
  @APIResponse(responseCode = "404", description = "There is no such session")
  public Tools list(
      @Parameter(
              description =
                  "The session whose tools are returned: all tools of a hosted session; of an"
                      + " external session the tools for delegation and those that a rule of its"
                      + " `permissions` allows by name, which `POST"
                      + " /v1/sessions/{id}/tool-calls` executes. Without it: the tools for"
                      + " delegation of a session with all permissions; for a session token, with"
                      + " those of its session.",
              schema = @Schema(implementation = SessionId.class))
          @QueryParam("session_id")
          @Nullable String session,
      @Parameter(description = "The API that the definitions are for")
          @QueryParam("format")
          @DefaultValue("openai")
          ToolFormat format) {
    var offered =
        session == null
            ? tools.forDelegating(callers.tenant(), callersPermissions())
            : tools.of(find(session));
    return new Tools(offered.stream().map(tool -> format.write(tool, tools.effect(tool))).toList());
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

  private Session find(String id) {
    return SessionId.parse(id)
        .filter(visibility::includes)
        .flatMap(sessions::find)
        .orElseThrow(() -> Refusal.notFound("session", id));
  }
}
