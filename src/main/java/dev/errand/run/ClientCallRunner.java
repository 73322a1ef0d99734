package dev.errand.run;

import dev.errand.delegate.ClientTools;
import dev.errand.node.HintListener;
import dev.errand.node.Node;
import dev.errand.node.NodeLease;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.node.Waiters;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.ClientCalls;
import dev.errand.session.ClientCalls.Answer;
import dev.errand.session.ClientCalls.Answer.Assigned;
import dev.errand.session.Lease;
import dev.errand.session.LeaseLost;
import dev.errand.session.LiveSessions;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import dev.errand.session.StrandedCalls;
import dev.errand.trace.TraceContext;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Executes the tool calls that clients of external sessions make, each like a run with one call: on
 * one node, recorded before it starts, and taken over from a node that died (architecture, rule 9).
 */
@Singleton
public class ClientCallRunner implements HintListener {

  private static final Logger LOG = Logger.getLogger(ClientCallRunner.class);

  private final ClientCalls calls;
  private final StrandedCalls stranded;
  private final SessionStore sessions;
  private final LiveSessions live;
  private final ToolRunner tools;
  private final ClientTools clientTools;
  private final Node node;
  private final NodeLease nodeLease;
  private final RunConfig config;
  private final IsolatedSteps steps;
  private final Waiters<ClientCalls.Id> waits;
  private final Map<Lease, Run> running = new ConcurrentHashMap<>();
  private final CountDownLatch hurried = new CountDownLatch(1);
  private volatile boolean stopping;

  ClientCallRunner(
      ClientCalls calls,
      StrandedCalls stranded,
      SessionStore sessions,
      LiveSessions live,
      ToolRunner tools,
      ClientTools clientTools,
      Node node,
      NodeLease nodeLease,
      RunConfig config,
      IsolatedSteps steps) {
    this.calls = calls;
    this.stranded = stranded;
    this.sessions = sessions;
    this.live = live;
    this.tools = tools;
    this.clientTools = clientTools;
    this.node = node;
    this.nodeLease = nodeLease;
    this.config = config;
    this.steps = steps;
    this.waits = new Waiters<>(calls::ended);
  }

  /** Records a call, and executes it on a thread of its own if the request is new. */
  public Answer start(Session session, ClientCalls.Request request) {
    var effect = tools.effect(request.call());
    var answer = calls.accept(request, effect, node.id(), config.maxToolCalls());
    if (answer instanceof Assigned call) {
      execute(session, call);
    }
    return answer;
  }

  /**
   * Waits until the call has ended, on whichever node.
   *
   * @return false if it has not within {@code limit}, or this node stops
   */
  public boolean awaitEnd(ClientCalls.Id id, Duration limit) {
    try {
      return waits.await(id, limit);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void execute(Session session, Assigned call) {
    var run = new Run(call.lease(), config.yieldAfter(), nodeLease::isTrusted);
    running.put(call.lease(), run);
    Thread.ofVirtual()
        .name("tool call of a client")
        .start(TraceContext.carried(() -> toItsEnd(session, call, run)));
  }

  /** After a failure the call still belongs to this node, and the next sweep finds it. */
  private void toItsEnd(Session session, Assigned call, Run run) {
    try {
      var offered = clientTools.namesOutside(session);
      var shift = new ToolRunner.Shift(run.lease(), session, run, offered::contains);
      tools.run(shift, List.of(call.open()));
    } catch (LeaseLost lost) {
      LOG.infof("A tool call of %s was ended or taken over", session.id());
    } catch (RuntimeException fault) {
      LOG.warnf(fault, "A tool call of %s failed; the next sweep takes it up again", session.id());
    } finally {
      running.remove(call.lease());
    }
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(
        Sweep.whenDue("Tool calls of clients", StrandedCalls.SOME, this::sweep)
            .orWhenWanted(() -> !running.isEmpty()));
    sweeps.add(
        Sweep.whenWanted("Callers that wait for tool calls", waits::isAwaited, this::hinted));
  }

  /** Stops calls that were ended from outside, and takes over those that no node executes. */
  void sweep() {
    var leases = Set.copyOf(running.keySet());
    if (!leases.isEmpty()) {
      live.lost(leases).forEach(this::lose);
    }
    if (!stopping) {
      steps.forEachIsolated("take_over_call", stranded.find(node.id()), this::takeOver);
    }
  }

  private void takeOver(StrandedCalls.Stranded lost) {
    var session = sessions.find(lost.lease().session());
    var isMine = lost.node().equals(node.id()) && running.containsKey(lost.lease());
    if (isMine || session.isEmpty()) {
      return;
    }
    stranded
        .takeOver(lost, node.id(), config.takeovers())
        .ifPresent(call -> {
          LOG.warnf(
              "A tool call of %s, whose node was %s, is taken over",
              session.get().id(), lost.node());
          execute(session.get(), call);
        });
  }

  private void lose(Lease lease) {
    var run = running.get(lease);
    if (run != null) {
      run.lose();
    }
  }

  /** Waiting callers are answered at once when the node begins to stop. */
  void stop(@Observes ShutdownDelayInitiatedEvent stop) {
    waits.close();
  }

  /** Waits until all calls have ended, then stops the remaining ones; other nodes find them. */
  void endWithin(Duration limit) {
    stopping = true;
    var until = System.nanoTime() + limit.toNanos();
    try {
      while (!running.isEmpty()
          && System.nanoTime() - until < 0
          && !hurried.await(50, TimeUnit.MILLISECONDS)) {
        // looks again
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    running.values().forEach(Run::lose);
  }

  /** Ends the wait for calls. */
  void hurry() {
    hurried.countDown();
  }

  @Override
  public Topic topic() {
    return Topic.ENDS;
  }

  @Override
  public void hinted() {
    waits.check();
  }
}
