package dev.errand.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The tasks of the program with DBOS. One client follows those of one parent, if it can. */
final class DbosLoad implements AutoCloseable {

  private static final int SINGLE_WARM_UP = 100;
  private static final int SINGLE = 300;
  private static final long STEP_MS = 5;
  private static final long STALLED_NS = 60_000_000_000L;

  private final DbosProgram program;
  private final DbosLevel level;
  private final Follower follower =
      new Follower(Set.of("accepted", "started", "turn", "ended", "delivered"));
  private final Set<String> followed = ConcurrentHashMap.newKeySet();
  private long submitted;

  DbosLoad(DbosProgram program, DbosLevel level) {
    this.program = program;
    this.level = level;
  }

  /** Tasks per second, from the first request until nothing of them is left to do. */
  double rate(String name, int tasks) throws IOException, InterruptedException {
    var before = System.nanoTime();
    Throughput.inParallel(tasks, task -> submit(task, "work %s-%d 0".formatted(name, task)));
    submitted += tasks;
    awaitDone();
    return Throughput.perSecond(tasks, before);
  }

  /** How long one task at a time takes. */
  void latencies(String name, Site site) throws IOException, InterruptedException {
    var acknowledged = new ArrayList<Long>();
    var sentAt = new HashMap<String, Long>();
    for (int task = -SINGLE_WARM_UP; task < SINGLE; task++) {
      var id = "%s-%d".formatted(name, task);
      var body = DbosProgram.body(0, "work " + id + " 0");
      var before = System.nanoTime();
      BlockingHttp.post(program.url() + "/tasks", body);
      if (task >= 0) {
        acknowledged.add(System.nanoTime() - before);
        sentAt.put(id, before);
      }
      submitted++;
      awaitDone();
    }
    var starts =
        site.model().marks().entrySet().stream()
            .filter(mark -> sentAt.containsKey(mark.getKey()))
            .map(mark -> mark.getValue().asked() - sentAt.getOrDefault(mark.getKey(), 0L))
            .toList();
    site.report().addLatency("DBOS: submit → 202", Samples.ofNanos(acknowledged));
    site.report().addLatency("DBOS: submit → model request", Samples.ofNanos(starts));
  }

  /**
   * Checks that everything is stored, and that the client that follows a parent has read it.
   *
   * @param ofFollowed the number of tasks of that parent
   */
  void check(int ofFollowed) throws IOException, InterruptedException {
    level.check(program.rows(), submitted);
    if (level == DbosLevel.OBSERVABLE) {
      follower.awaitTasks(ofFollowed);
    }
  }

  private void submit(int task, String prompt) throws IOException, InterruptedException {
    var parent = task % Throughput.PARENTS;
    var accepted = program.submit(parent, prompt);
    if (parent == 0 && level == DbosLevel.OBSERVABLE) {
      follow(accepted.id());
      follow(accepted.parent());
    }
  }

  /** A task's last change is in the stream of the workflow that receives its result. */
  private void follow(String workflow) {
    if (followed.add(workflow)) {
      follower.follow(program.url() + "/changes/" + workflow);
    }
  }

  /** Fails when no task has become done for a while, as after the failure of a workflow. */
  private void awaitDone() throws IOException, InterruptedException {
    long before = 0;
    var since = System.nanoTime();
    for (var done = program.done(); done < submitted; done = program.done()) {
      if (done != before) {
        before = done;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > STALLED_NS) {
        throw new IllegalStateException(done + " tasks are done, not " + submitted);
      }
      Thread.sleep(STEP_MS);
    }
  }

  @Override
  public void close() {
    follower.close();
  }
}
