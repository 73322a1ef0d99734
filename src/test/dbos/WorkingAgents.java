import dev.dbos.transact.DBOS;
import dev.dbos.transact.workflow.Workflow;
import java.time.Duration;

/** The workflows at work. */
public final class WorkingAgents implements Agents {

  private static final String RESULTS = "results";
  private static final Duration PATIENCE = Duration.ofDays(1);

  private final DBOS dbos;
  private final Model model;
  private final Journal journal;
  private final Progress progress;

  WorkingAgents(DBOS dbos, Model model, Journal journal, Progress progress) {
    this.dbos = dbos;
    this.model = model;
    this.journal = journal;
    this.progress = progress;
  }

  /** What a child sends to its parent. */
  record Result(String task, String text) {}

  @Override
  @Workflow(name = "idle")
  public void idle() {
    dbos.recv("stop", PATIENCE);
  }

  @Override
  @Workflow(name = "parent")
  public void parent(String session, int results) {
    for (int number = 0; number < results; number++) {
      var result = dbos.<Result>recv(RESULTS, PATIENCE).orElseThrow();
      journal.message(new Database.Message(session, result.task(), "user", result.text(), 0));
      journal.changed("delivered");
      progress.delivered();
    }
  }

  /** Only a workflow can write its stream, so the first change follows the answer to the client. */
  @Override
  @Workflow(name = "child")
  public void child(String parent, String prompt) {
    var task = DBOS.workflowId();
    journal.changed("accepted");
    journal.message(new Database.Message(task, task, "user", prompt, 0));
    journal.changed("started");
    var answer = ask(prompt);
    journal.message(
        new Database.Message(task, task, "assistant", answer.text(), answer.tokens()));
    journal.changed("turn");
    journal.changed("ended");
    dbos.send(parent, new Result(task, answer.text()), RESULTS);
  }

  private Model.Answer ask(String prompt) {
    try {
      return dbos.runStep(() -> model.ask(prompt), "model");
    } catch (Exception fault) {
      throw new IllegalStateException(fault);
    }
  }
}
