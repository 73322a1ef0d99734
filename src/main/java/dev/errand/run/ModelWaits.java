package dev.errand.run;

import dev.errand.model.EndpointGate;
import dev.errand.model.EndpointGate.Permit;
import dev.errand.model.EndpointGates;
import dev.errand.model.EndpointGates.GateAnswer;
import dev.errand.model.EndpointGates.GateCaller;
import dev.errand.model.Fallbacks;
import dev.errand.model.ModelConfig;
import dev.errand.pause.Pauses;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.Lease;
import dev.errand.session.ModelPatience;
import dev.errand.session.Session;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
import dev.errand.tenant.Tenants;
import dev.errand.time.Alarm;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Lets sessions wait in the database while their models cannot be called or this node has no memory
 * for them, and queues them again. Every node looks once a second which of them are due, and when
 * it has a reason to; it queues no more of them than it has memory for, and than it may call their
 * endpoints.
 */
@Singleton
class ModelWaits {

  private static final Logger LOG = Logger.getLogger(ModelWaits.class);
  private static final int BATCH = 1000;
  private static final Set<WaitReason> FOR_A_CALL = Set.of(WaitReason.MODEL, WaitReason.MEMORY);

  /** An endpoint with little room is looked at again after this time, or when it opens. */
  private static final Duration AGAIN = Duration.ofMillis(100);

  /** How long a session waits for memory before it is looked at again. */
  static final Duration FOR_MEMORY = Duration.ofSeconds(1);

  private final ModelPatience patience;
  private final Waits waits;
  private final EndpointGates gates;
  private final ConversationMemory memory;
  private final Fallbacks fallbacks;
  private final Tenants tenants;
  private final Pauses pauses;
  private final ModelConfig config;
  private final ModelRetryConfig retry;
  private final AfterCommit afterCommit;
  private final IsolatedSteps steps;
  private final Alarm alarm = new Alarm("model-waits", this::lookWithoutFailing);

  ModelWaits(
      ModelPatience patience,
      Waits waits,
      EndpointGates gates,
      ConversationMemory memory,
      Fallbacks fallbacks,
      Tenants tenants,
      Pauses pauses,
      ModelConfig config,
      ModelRetryConfig retry,
      AfterCommit afterCommit,
      IsolatedSteps steps) {
    this.patience = patience;
    this.waits = waits;
    this.gates = gates;
    this.memory = memory;
    this.fallbacks = fallbacks;
    this.tenants = tenants;
    this.pauses = pauses;
    this.config = config;
    this.retry = retry;
    this.afterCommit = afterCommit;
    this.steps = steps;
  }

  void start(@Observes StartupEvent start) {
    gates.whenOpened(() -> alarm.set(Duration.ZERO));
  }

  void stop(@Observes ShutdownEvent stop) {
    alarm.stop();
  }

  /**
   * Asks for the right to the first model call of a task. Without it, or without memory for one
   * more run, the session waits, and its run ends.
   */
  @Transactional(TxType.MANDATORY)
  Optional<Permit> firstCall(Lease lease, Session session) {
    if (!memory.hasRoom()) {
      var ignored = putOff(lease, forMemory());
      return Optional.empty();
    }
    return switch (gate(session.model(), session.tenant()).ask(GateCaller.NEW)) {
      case GateAnswer.Pass pass -> {
        afterCommit.otherwise(pass.permit()::close);
        yield Optional.of(pass.permit());
      }
      case GateAnswer.Wait wait -> {
        var ignored =
            putOff(lease, LoopEnd.PutOff.untried(wait.atLeast(), LoopEnd.PutOff.Reason.MODEL_BUSY));
        yield Optional.empty();
      }
      case GateAnswer.Soon soon -> throw new IllegalStateException("a new caller waits: " + soon);
    };
  }

  /** The end of a run for which this node has no memory. */
  static LoopEnd.PutOff forMemory() {
    return LoopEnd.PutOff.untried(FOR_MEMORY, LoopEnd.PutOff.Reason.NODE_BUSY);
  }

  /**
   * Ends a run until its model can be called, or until there is memory for it.
   *
   * @return false when the session has waited for too long; then nothing has changed
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  @Transactional(TxType.MANDATORY)
  boolean putOff(Lease lease, LoopEnd.PutOff end) {
    var away = end.away();
    var doubled = retry.firstDelay().multipliedBy(1L << Math.min(retry.attempts() - 1, 10));
    var wait =
        patience.count(
            lease,
            new ModelPatience.Terms(
                end.atLeast(),
                doubled,
                retry.longestDelay(),
                config.patience(),
                away == null ? null : new ModelPatience.Away(away.code(), away.message()),
                end.tried()));
    wait.ifPresent(left -> {
      var reason = end.reason();
      waits.enter(lease, Waits.Wait.of(reason.waitsFor(), reason.word(), left));
      LOG.infof("The session waits for %d ms (%s)", left.toMillis(), reason.word());
      afterCommit.run(() -> alarm.set(left));
    });
    return wait.isPresent();
  }

  /**
   * Queues the sessions whose models can be called again. Many sessions that wait for one endpoint
   * do not hide those of another.
   */
  void look() {
    var full = new HashSet<EndpointGate>();
    var busy = new HashSet<String>();
    var room = memory.room();
    int known;
    List<ModelPatience.Due> due;
    do {
      known = busy.size();
      due = patience.due(config.patience(), busy, BATCH);
      resume(due, room, full, busy);
    } while (due.size() == BATCH && busy.size() > known);
    full.stream()
        .map(EndpointGate::closedFor)
        .map(closed -> closed.compareTo(AGAIN) > 0 ? closed : AGAIN)
        .forEach(alarm::set);
  }

  private void resume(
      List<ModelPatience.Due> due,
      ConversationMemory.Room room,
      Set<EndpointGate> full,
      Set<String> busy) {
    var chosen = new ArrayList<Chosen>();
    for (var session : due) {
      var gate = gate(session.model(), session.tenant());
      if (isNotCalled(session, gate)) {
        chosen.add(new Chosen(session, null));
      } else if (mayRun(session, gate, room, full)) {
        chosen.add(new Chosen(session, gate));
      } else {
        busy.add(session.target());
      }
    }
    steps.forEachIsolated("resume_waiting", chosen, this::resume);
  }

  /**
   * A session to queue.
   *
   * @param gate where a call is set aside for it; null when it calls no model
   */
  private record Chosen(ModelPatience.Due due, @Nullable EndpointGate gate) {}

  /** The gate of the endpoint that answers first for a model. */
  EndpointGate gate(String model, String tenant) {
    var models = tenants.of(tenant).models();
    return gates.of(fallbacks.first(model, models), models);
  }

  /**
   * Whether the run calls no model: it fails because it waited too long for one that is still away,
   * or a pause holds it. One that is only busy would put off the run again and again.
   */
  private boolean isNotCalled(ModelPatience.Due due, EndpointGate gate) {
    return (due.outOfPatience() && gate.isAway())
        || pauses.applyingTo(due.tenant(), due.agent(), due.model()).isPresent();
  }

  /** Memory is given last, so that sessions of an endpoint that is away take none from others. */
  private boolean mayRun(
      ModelPatience.Due due,
      EndpointGate gate,
      ConversationMemory.Room room,
      Set<EndpointGate> full) {
    if (full.contains(gate) || !gate.setAside()) {
      full.add(gate);
      return false;
    }
    if (!room.take(due.session())) {
      gate.putBack();
      return false;
    }
    return true;
  }

  private void resume(Chosen chosen) {
    var gate = chosen.gate();
    if (!waits.leave(chosen.due().session(), FOR_A_CALL) && gate != null) {
      gate.putBack();
    }
  }

  /** Around one tick: after a failure the next tick of the schedule looks again. */
  private void lookWithoutFailing() {
    try {
      look();
    } catch (RuntimeException fault) {
      LOG.warn("Looking for sessions that wait for their model failed", fault);
    }
  }
}
