package dev.errand.run;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Node;
import dev.errand.node.NodeLease;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.Lease;
import dev.errand.session.LiveSessions;
import dev.errand.worktree.OwedChanges;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * The runs of this node. Compares them with the database once a second and after every hint: a run
 * whose lease is lost is interrupted, and a session that this node owns but does not drive, because
 * its run failed, is queued again.
 */
@Singleton
public class ActiveRuns implements HintListener {

  private static final Logger LOG = Logger.getLogger(ActiveRuns.class);

  private final Map<SessionId, Run> runs = new ConcurrentHashMap<>();
  private final Set<SessionId> excused = ConcurrentHashMap.newKeySet();
  private final LiveSessions sessions;
  private final Handovers handovers;
  private final ConversationMemory memory;
  private final Node node;
  private final NodeLease nodeLease;
  private final RunConfig config;
  private final IsolatedSteps steps;
  private final OwedChanges changes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition runEnded = lock.newCondition();
  private volatile boolean hurried;

  ActiveRuns(
      LiveSessions sessions,
      Handovers handovers,
      ConversationMemory memory,
      Node node,
      NodeLease nodeLease,
      RunConfig config,
      IsolatedSteps steps,
      OwedChanges changes,
      MeterRegistry registry) {
    this.sessions = sessions;
    this.handovers = handovers;
    this.memory = memory;
    this.node = node;
    this.nodeLease = nodeLease;
    this.config = config;
    this.steps = steps;
    this.changes = changes;
    registry.gaugeMapSize("errand.runs.active", Tags.empty(), runs);
  }

  /**
   * Registers a run. An earlier run of the session on this node, which does not know yet that it
   * lost the session, is stopped.
   */
  Run begin(Lease lease) {
    excused.remove(lease.session());
    var run = new Run(lease, config.yieldAfter(), nodeLease::isTrusted);
    var earlier = runs.put(lease.session(), run);
    if (earlier != null) {
      earlier.lose();
    }
    return run;
  }

  /** Removes a run that has ended, and gives its memory to others. */
  void end(Run run) {
    memory.release(run);
    runs.remove(run.lease().session(), run);
    signalRunEnded();
  }

  /**
   * Asks all runs to yield at their next turn boundary.
   *
   * @return the number of active runs
   */
  int askAllToYield() {
    runs.values().forEach(Run::askToYield);
    return runs.size();
  }

  /** Ends the wait for active runs. */
  void hurry() {
    hurried = true;
    signalRunEnded();
  }

  /**
   * Waits until all runs have ended, then stops the remaining ones; their sessions go to other
   * nodes.
   */
  void endWithin(Duration limit) {
    awaitEnd(limit);
    runs.values().forEach(this::stop);
  }

  private void awaitEnd(Duration limit) {
    lock.lock();
    try {
      var left = limit.toNanos();
      while (!runs.isEmpty() && !hurried && left > 0) {
        left = runEnded.awaitNanos(left);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void signalRunEnded() {
    lock.lock();
    try {
      runEnded.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void stop(Run run) {
    excuse(run.lease().session());
    run.lose();
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(
        Sweep.whenDue("Runs", LiveSessions.SOME_OWN, this::hinted)
            .orWhenWanted(() -> !runs.isEmpty() || !excused.isEmpty()));
  }

  @Override
  public Topic topic() {
    return Topic.RUNS;
  }

  @Override
  public void hinted() {
    var before = Map.copyOf(runs);
    var excusedBefore = Set.copyOf(excused);
    var driven = sessions.drivenBy(node.id());
    var epochs =
        driven.stream()
            .collect(
                Collectors.toMap(entry -> entry.lease().session(), entry -> entry.lease().epoch()));
    excusedBefore.stream().filter(session -> !epochs.containsKey(session)).forEach(excused::remove);
    before.values().stream()
        .filter(run -> !Long.valueOf(run.lease().epoch()).equals(epochs.get(run.lease().session())))
        .forEach(Run::lose);
    // A run of which this node knew when it asked the database may have ended since then.
    var abandoned =
        driven.stream()
            .filter(LiveSessions.DrivenSession::quiet)
            .map(LiveSessions.DrivenSession::lease)
            .filter(
                lease -> !before.containsKey(lease.session()) && !runs.containsKey(lease.session()))
            .toList();
    steps.forEachIsolated("recover_run", abandoned, this::recover);
  }

  /**
   * Notes that the session's run broke off through no fault of its own: queueing the session again
   * counts as no takeover.
   */
  void excuse(SessionId session) {
    excused.add(session);
  }

  /** The fence decides: another pass may have done this, and a new run may have begun. */
  private void recover(Lease lease) {
    var session = lease.session();
    LOG.warnf("Session %s lost its run on this node and is queued again", session);
    if (excused.contains(session)) {
      handovers.release(lease);
      excused.remove(session);
    } else {
      changes.around(() -> handovers.takeOver(lease, node.id(), "run_lost"));
    }
  }
}
