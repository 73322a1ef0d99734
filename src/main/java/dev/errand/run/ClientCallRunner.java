package dev.errand.run;

import dev.errand.delegate.ClientTools;
import dev.errand.node.HintListener;
import dev.errand.node.Node;
import dev.errand.node.NodeLease;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.node.Waiters;
import dev.errand.session.ClientCalls;
import dev.errand.session.ClientCalls.CallAnswer;
import dev.errand.session.ClientCalls.CallAnswer.Assigned;
import dev.errand.session.Lease;
import dev.errand.session.LeaseLost;
import dev.errand.session.Session;
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
 * one node, recorded before it starts, and taken over by {@link ClientCallSweep} from a node that
 * died (architecture, rule 9).
 */
@Singleton
public class ClientCallRunner implements HintListener {

  private static final Logger LOG = Logger.getLogger(ClientCallRunner.class);

  private final ClientCalls calls;
  private final ToolRunner tools;
  private final ClientTools clientTools;
  private final Node node;
  private final NodeLease nodeLease;
  private final RunConfig config;
  private final Waiters<ClientCalls.ClientCallId> waits;
  private final Map<Lease, Run> running = new ConcurrentHashMap<>();
  private final CountDownLatch hurried = new CountDownLatch(1);
  private volatile boolean stopping;

  ClientCallRunner(
      ClientCalls calls,
      ToolRunner tools,
      ClientTools clientTools,
      Node node,
      NodeLease nodeLease,
      RunConfig config) {
    this.calls = calls;
    this.tools = tools;
    this.clientTools = clientTools;
    this.node = node;
    this.nodeLease = nodeLease;
    this.config = config;
    this.waits = new Waiters<>(calls::ended);
  }

  /** Records a call, and executes it on a thread of its own if the request is new. */
  public CallAnswer start(Session session, ClientCalls.CallRequest request) {
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
  public boolean awaitEnd(ClientCalls.ClientCallId id, Duration limit) {
    try {
      return waits.await(id, limit);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Executes a call that is assigned to this node, on a thread of its own. */
  void execute(Session session, Assigned call) {
    var run = new Run(call.lease(), config.yieldAfter(), nodeLease::isTrusted);
    running.put(call.lease(), run);
    Thread.ofVirtual()
        .name("tool call of a client")
        .start(TraceContext.carried(() -> toItsEnd(session, call, run)));
  }

  /**
   * Executes a call to its end. After a failure it still belongs to this node, and the next sweep
   * finds it.
   */
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
        Sweep.whenWanted("Callers that wait for tool calls", waits::isAwaited, this::hinted));
  }

  /** The calls that this node executes. */
  Set<Lease> running() {
    return Set.copyOf(running.keySet());
  }

  /** Returns whether this node takes over no more calls. */
  boolean isStopping() {
    return stopping;
  }

  /** Stops a call that this node must not execute any more. */
  void lose(Lease lease) {
    var run = running.get(lease);
    if (run != null) {
      run.lose();
    }
  }

  /** Answers waiting callers at once when the node begins to stop. */
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
