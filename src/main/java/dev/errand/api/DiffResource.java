package dev.errand.api;

import dev.errand.agent.Isolation;
import dev.errand.api.http.Refusal;
import dev.errand.auth.Roles;
import dev.errand.conversation.TaskId;
import dev.errand.task.TaskChanges;
import dev.errand.task.TaskStore;
import dev.errand.worktree.ChangeStore;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response.Status;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The patches of tasks that worked in a copy of the workspace. */
@Path("/v1/tasks/{id}/diff")
@RunOnVirtualThread
@Tag(name = "Tasks")
class DiffResource {

  private static final String DIFF = "text/x-diff";

  private final TaskStore tasks;
  private final ChangeStore changes;

  DiffResource(TaskStore tasks, ChangeStore changes) {
    this.tasks = tasks;
    this.changes = changes;
  }

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  @Produces(DIFF)
  @Operation(
      summary = "Get what a task with isolation worktree changed, as a patch of git",
      description =
          "Paths are relative to the workspace. The patch has the bytes of the files, in any"
              + " encoding, and contains binary files. It is kept as long as the task.")
  @APIResponse(
      responseCode = "200",
      description = "The patch; empty when nothing was changed",
      content =
          @Content(mediaType = DIFF, schema = @Schema(type = SchemaType.STRING, format = "binary")))
  @APIResponse(
      responseCode = "404",
      description =
          "The task does not exist, or shares the workspace of its parent, or its patch is too"
              + " large or was lost with its node; the detail says which")
  @APIResponse(responseCode = "409", description = "The task has not ended")
  public byte[] diff(@PathParam("id") TaskId id) {
    var task = tasks.find(id).orElseThrow(() -> Refusal.notFound("task", id));
    if (task.isolation() == Isolation.WORKTREE && task.outcome().isEmpty()) {
      throw new Refusal(
          Status.CONFLICT, "The task has not ended; there is no patch yet.", List.of());
    }
    return changes
        .patch(id)
        .orElseThrow(() ->
            new Refusal(
                Status.NOT_FOUND,
                "There is no patch: " + TaskChanges.whyMissing(task) + ".",
                List.of()));
  }
}
