import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import java.util.List;
import java.util.UUID;

/** Starts the workflows of tasks. */
final class Tasks {

  private final DBOS dbos;
  private final Agents agents;
  private final Progress progress;
  private final List<Parent> parents;

  Tasks(DBOS dbos, Agents agents, Progress progress, List<Parent> parents) {
    this.dbos = dbos;
    this.agents = agents;
    this.progress = progress;
    this.parents = parents;
  }

  /** The workflow of a task, and the one that receives its result. */
  record Accepted(String id, String parent) {}

  /** The workflow is in the database when this returns. */
  Accepted accept(int parent, String prompt) {
    var task = new Accepted(UUID.randomUUID().toString(), parents.get(parent).assign());
    var child =
        dbos.startWorkflow(
            () -> agents.child(task.parent(), prompt), new StartWorkflowOptions(task.id()));
    Thread.ofVirtual().start(() -> {
      child.getResult();
      progress.ended();
    });
    return task;
  }
}
