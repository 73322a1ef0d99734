import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import java.util.UUID;

/**
 * One parent of tasks. Workflows that each receive {@link #RESULTS} results act for it in turn,
 * because the history of a workflow grows with each result and is read from its beginning when it
 * is recovered.
 *
 * <p>A task is assigned to one of these workflows before it is accepted, and exactly as many tasks
 * are assigned to a workflow as it receives. So a workflow never ends before its last result has
 * come, a successor takes over no messages, and no result is lost.
 */
final class Parent {

  private static final int RESULTS = 100;

  private final DBOS dbos;
  private final Agents agents;
  private final Level level;
  private final String session;
  private String workflow = "";
  private int assigned = RESULTS;

  Parent(DBOS dbos, Agents agents, Level level, int number) {
    this.dbos = dbos;
    this.agents = agents;
    this.level = level;
    this.session = "parent-" + number;
  }

  /** Returns the workflow that receives the result of one more task. */
  synchronized String assign() {
    if (assigned == RESULTS) {
      workflow = UUID.randomUUID().toString();
      dbos.startWorkflow(this::receive, new StartWorkflowOptions(workflow));
      assigned = 0;
    }
    assigned++;
    return workflow;
  }

  private void receive() {
    if (level == Level.BARE) {
      agents.idle();
    } else {
      agents.parent(session, RESULTS);
    }
  }
}
