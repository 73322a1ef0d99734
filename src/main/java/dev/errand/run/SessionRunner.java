package dev.errand.run;

import dev.errand.agent.Agents;
import dev.errand.conversation.SessionId;
import dev.errand.model.EndpointGate;
import dev.errand.postgres.Failpoint;
import dev.errand.postgres.SqlErrors;
import dev.errand.run.RunEnds.RunEnd;
import dev.errand.session.LeaseLost;
import dev.errand.task.Slots;
import dev.errand.task.TaskClaims.TaskAttempt;
import dev.errand.trace.SpanScope;
import dev.errand.trace.Spans;
import dev.errand.worktree.OwedChanges;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;

/** Drives one session: claim, turns, an end. */
@Singleton
public class SessionRunner {

  private static final Logger LOG = Logger.getLogger(SessionRunner.class);

  /** The keys that a run's log lines carry. */
  private static final List<String> IN_LOG = List.of("session", "task", "attempt");

  private final RunStarts starts;
  private final RunEnds ends;
  private final RunWaits waits;
  private final ActiveRuns activeRuns;
  private final Agents agents;
  private final AgentLoop loop;
  private final Spans spans;
  private final OwedChanges changes;
  private final Slots slots;

  SessionRunner(
      RunStarts starts,
      RunEnds ends,
      RunWaits waits,
      ActiveRuns activeRuns,
      Agents agents,
      AgentLoop loop,
      Spans spans,
      OwedChanges changes,
      Slots slots) {
    this.starts = starts;
    this.ends = ends;
    this.waits = waits;
    this.activeRuns = activeRuns;
    this.agents = agents;
    this.loop = loop;
    this.spans = spans;
    this.changes = changes;
    this.slots = slots;
  }

  /**
   * Runs the session until it rests. Returns without an error when there is nothing to do or
   * another worker drives the session.
   */
  public void run(SessionId id) {
    MDC.put("session", id.toString());
    try {
      claim(id).ifPresent(this::drive);
    } finally {
      IN_LOG.forEach(MDC::remove);
    }
  }

  /**
   * A claim is repeated while the database is unavailable or busy: a job that fails is not repeated
   * by JobRunr, and its session would wait until the sweep finds that it is lost.
   *
   * <p>A first turn boundary that fails takes the claim back with it. The run then begins without
   * it and meets the same fault at its first turn boundary. There it counts as a failed run, so
   * that the session is not claimed again and again.
   */
  private Optional<RunStarts.ClaimedRun> claim(SessionId id) {
    try {
      return repeatedly(id, starts::claim);
    } catch (RuntimeException fault) {
      if (SqlErrors.isTransient(fault)) {
        throw fault;
      }
      LOG.warn("A run begins without its first turn boundary, which failed", fault);
      return repeatedly(id, starts::claimOnly);
    }
  }

  /** An attempt whose answer was lost may have claimed the session: that is no lost worker. */
  private Optional<RunStarts.ClaimedRun> repeatedly(
      SessionId id, Function<SessionId, Optional<RunStarts.ClaimedRun>> claim) {
    return PersistentWrite.until(
        Run::isThreadInterruptedIn,
        again -> {
          if (again) {
            activeRuns.excuse(id);
          }
          return claim.apply(id);
        });
  }

  /**
   * Drives a run. After any failure the session is still owned by this node in the database, and
   * the next check queues it again.
   */
  private void drive(RunStarts.ClaimedRun claimed) {
    var run = activeRuns.begin(claimed.lease());
    Failpoint.CLAIMED.pass();
    run.begin(claimed.firstCall());
    Optional.ofNullable(claimed.attempt()).map(TaskAttempt::task).ifPresent(run::worksOn);
    nameAttemptInLog(claimed.attempt());
    try (var span = span(claimed)) {
      LOG.debugf(
          "Run begins: agent %s, epoch %d", claimed.session().agent(), claimed.lease().epoch());
      var end = span.watch(() -> toItsEnd(claimed, run));
      Failpoint.RUN_ENDED.pass();
      errorOf(end).ifPresent(error -> span.failed(error.code()));
      LOG.debugf("Run ends: %s", end.getClass().getSimpleName());
    } catch (LeaseLost lost) {
      LOG.infof("Run stops: it lost its session, or this node's lease is uncertain");
      activeRuns.excuse(claimed.session().id());
    } catch (RuntimeException fault) {
      brokeOff(run, fault);
    } finally {
      run.takeFirstCall().ifPresent(EndpointGate.Permit::close);
      activeRuns.end(run);
      slots.ended(claimed.session().tenant());
    }
  }

  private static Optional<LoopEnd.Failed> errorOf(LoopEnd end) {
    return switch (end) {
      case LoopEnd.Failed failed -> Optional.of(failed);
      case LoopEnd.Delayed delayed -> Optional.ofNullable(delayed.away());
      case LoopEnd.Finished _,
          LoopEnd.Expecting _,
          LoopEnd.Waiting _,
          LoopEnd.Suspended _,
          LoopEnd.Interrupted _ ->
          Optional.empty();
    };
  }

  private static void nameAttemptInLog(@Nullable TaskAttempt attempt) {
    if (attempt != null) {
      MDC.put("task", attempt.task().toString());
      MDC.put("attempt", attempt.number());
    }
  }

  private SpanScope span(RunStarts.ClaimedRun claimed) {
    var session = claimed.session();
    var span =
        spans.agent(
            new Spans.TracedRun(
                session.id().toString(), session.agent(), session.model(), session.traceParent()));
    var attempt = claimed.attempt();
    span.about("errand.task.id", attempt == null ? null : attempt.task().toString());
    span.about("errand.session.epoch", claimed.lease().epoch());
    span.about("errand.session.takeovers", session.takeovers());
    return span;
  }

  private LoopEnd toItsEnd(RunStarts.ClaimedRun claimed, Run run) {
    // Read once: the loop may have to continue after the definition has changed.
    var agent = agents.of(claimed.session().tenant()).find(claimed.session().agent()).orElse(null);
    LoopEnd end;
    do {
      end = loop.run(claimed, agent, run);
    } while (commit(run, end) == RunEnd.OVERTAKEN);
    return end;
  }

  /**
   * JobRunr interrupts its workers when it stops. A run is not to blame for a database that is
   * unavailable or busy; an error that lasts, or that only this run meets, is a failed attempt.
   */
  private void brokeOff(Run run, RuntimeException fault) {
    var error = SqlErrors.in(fault);
    var lasts = PersistentWrite.gaveUp(fault);
    var refusal = error.filter(_ -> lasts || isRefusal(fault));
    if (Thread.interrupted() || (error.isPresent() && refusal.isEmpty())) {
      LOG.warn("A run failed because of its environment; its session will be queued again", fault);
      activeRuns.excuse(run.lease().session());
    } else if (refusal.isPresent()) {
      LOG.error("A run failed because the database refused a write", fault);
      fail(run, refusal.get());
    } else {
      LOG.error("A run failed; its session will be queued again", fault);
    }
  }

  private static boolean isRefusal(RuntimeException fault) {
    return SqlErrors.in(fault).isPresent() && !SqlErrors.isTransient(fault);
  }

  /**
   * Fails a run; if that is refused, too, the session is queued as after the loss of its worker.
   */
  private void fail(Run run, SQLException refusal) {
    try {
      var end =
          new LoopEnd.Failed(
              FailureCode.DATABASE_ERROR,
              "the database refused to store the progress (SQLSTATE " + refusal.getSQLState() + ")",
              true);
      changes.around(() -> ends.fail(run, end));
    } catch (LeaseLost lost) {
      activeRuns.excuse(run.lease().session());
    } catch (RuntimeException fault) {
      LOG.error("The failure of a run could not be stored", fault);
    }
  }

  private RunEnd commit(Run run, LoopEnd end) {
    var lease = run.lease();
    return switch (end) {
      case LoopEnd.Finished finished ->
          finished.committed()
              ? RunEnd.COMMITTED
              : changes.around(() -> ends.finish(lease, finished));
      case LoopEnd.Expecting _ -> ends.expect(lease);
      case LoopEnd.Waiting _ -> ends.park(lease);
      case LoopEnd.Delayed delayed -> {
        changes.around(() -> waits.delay(run, delayed));
        yield RunEnd.COMMITTED;
      }
      case LoopEnd.Suspended suspended -> {
        waits.suspend(run, suspended.by());
        yield RunEnd.COMMITTED;
      }
      case LoopEnd.Interrupted _ -> {
        ends.yield(lease);
        yield RunEnd.COMMITTED;
      }
      case LoopEnd.Failed failed -> {
        changes.around(() -> ends.fail(run, failed));
        yield RunEnd.COMMITTED;
      }
    };
  }
}
