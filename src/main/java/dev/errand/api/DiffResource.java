package dev.errand.api;

import dev.errand.agent.Isolation;
import dev.errand.auth.Roles;
import dev.errand.conversation.TaskId;
import dev.errand.http.Refusal;
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

/** The patches of tasks that worked in a copy of the workspace. */
@Path("/v1/tasks/{id}/diff")
@RunOnVirtualThread
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
