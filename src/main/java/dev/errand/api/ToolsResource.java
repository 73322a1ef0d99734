package dev.errand.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.auth.Roles;
import dev.errand.conversation.SessionId;
import dev.errand.delegate.ClientTools;
import dev.errand.delegate.ToolFormat;
import dev.errand.http.Refusal;
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
import org.jspecify.annotations.Nullable;

/** Definitions of tools, for agents whose loop runs elsewhere. */
@Path("/v1/tools")
@RunOnVirtualThread
class ToolsResource {

  private final ClientTools tools;
  private final SessionStore sessions;
  private final Visibility visibility;

  ToolsResource(ClientTools tools, SessionStore sessions, Visibility visibility) {
    this.tools = tools;
    this.sessions = sessions;
    this.visibility = visibility;
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
    var offered = session == null ? tools.forCaller() : tools.of(find(session));
    return new Tools(offered.stream().map(tool -> format.write(tool, tools.effect(tool))).toList());
  }

  private Session find(String id) {
    return SessionId.parse(id)
        .filter(visibility::includes)
        .flatMap(sessions::find)
        .orElseThrow(() -> Refusal.notFound("session", id));
  }
}
