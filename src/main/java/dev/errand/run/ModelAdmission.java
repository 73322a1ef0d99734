package dev.errand.run;

import dev.errand.model.EndpointGate;
import dev.errand.model.EndpointGate.Permit;
import dev.errand.model.EndpointGates;
import dev.errand.model.EndpointGates.GateAnswer;
import dev.errand.model.EndpointGates.GateCaller;
import dev.errand.model.ModelConfig;
import dev.errand.pause.Pauses;
import dev.errand.postgres.AfterCommit;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.ModelPatience;
import dev.errand.session.Session;
import dev.errand.session.WaitReason;
import dev.errand.session.Waits;
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
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Decides which runs may call their models: no more than this node has memory for, and than it may
 * call their endpoints. A new task is admitted when its session is claimed. Sessions that wait for
 * their model or for memory are queued again: every node looks once a second which of them are due,
 * and when it has a reason to.
 */
@Singleton
class ModelAdmission {

  private static final Logger LOG = Logger.getLogger(ModelAdmission.class);
  private static final int BATCH = 1000;
  private static final Set<WaitReason> FOR_A_CALL = Set.of(WaitReason.MODEL, WaitReason.MEMORY);

  /** An endpoint with little room is looked at again after this time, or when it opens. */
  private static final Duration AGAIN = Duration.ofMillis(100);

  private final ModelPatience patience;
  private final Waits waits;
  private final ModelCaller models;
  private final EndpointGates gates;
  private final ConversationMemory memory;
  private final Pauses pauses;
  private final ModelConfig config;
  private final AfterCommit afterCommit;
  private final IsolatedSteps steps;
  private final Alarm alarm = new Alarm("model-waits", this::lookWithoutFailing);

  ModelAdmission(
      ModelPatience patience,
      Waits waits,
      ModelCaller models,
      EndpointGates gates,
      ConversationMemory memory,
      Pauses pauses,
      ModelConfig config,
      AfterCommit afterCommit,
      IsolatedSteps steps) {
    this.patience = patience;
    this.waits = waits;
    this.models = models;
    this.gates = gates;
    this.memory = memory;
    this.pauses = pauses;
    this.config = config;
    this.afterCommit = afterCommit;
    this.steps = steps;
  }

  void start(@Observes StartupEvent start) {
    gates.whenOpened(() -> alarm.set(Duration.ZERO));
  }

  void stop(@Observes ShutdownEvent stop) {
    alarm.stop();
  }

  /** The answer whether a task may make its first model call. */
  sealed interface FirstCall {

    /** The right to the call, which a rollback of the transaction gives back. */
    record Now(Permit permit) implements FirstCall {}

    /** The endpoint is not to be called yet, or there is no memory for one more run. */
    record Later(LoopEnd.Delayed end) implements FirstCall {}
  }

  /** Asks for the right to the first model call of a task that the current transaction begins. */
  @Transactional(TxType.MANDATORY)
  FirstCall firstCall(Session session) {
    if (!memory.hasRoom()) {
      return new FirstCall.Later(LoopEnd.Delayed.forMemory());
    }
    return switch (models.gate(session.model(), session.tenant()).ask(GateCaller.NEW)) {
      case GateAnswer.Pass pass -> {
        afterCommit.otherwise(pass.permit()::close);
        yield new FirstCall.Now(pass.permit());
      }
      case GateAnswer.NotYet wait ->
          new FirstCall.Later(
              LoopEnd.Delayed.untried(wait.atLeast(), LoopEnd.Delayed.WaitWord.MODEL_BUSY));
      case GateAnswer.Soon soon -> throw new IllegalStateException("a new caller waits: " + soon);
    };
  }

  /**
   * Looks for sessions that may run after this time, when the current transaction has committed.
   */
  void lookAfter(Duration time) {
    afterCommit.run(() -> alarm.set(time));
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
    List<ModelPatience.DueSession> due;
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
      List<ModelPatience.DueSession> due,
      ConversationMemory.MemoryRoom room,
      Set<EndpointGate> full,
      Set<String> busy) {
    var chosen = new ArrayList<Chosen>();
    for (var session : due) {
      var gate = models.gate(session.model(), session.tenant());
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
  private record Chosen(ModelPatience.DueSession due, @Nullable EndpointGate gate) {}

  /**
   * Returns whether the run calls no model: it fails because it waited too long for one that is
   * still away, or a pause applies to it. An endpoint that is only busy would delay the run again
   * and again.
   */
  private boolean isNotCalled(ModelPatience.DueSession due, EndpointGate gate) {
    return (due.outOfPatience() && gate.isAway())
        || pauses.applyingTo(due.tenant(), due.agent(), due.model()).isPresent();
  }

  /** Memory is given last, so that sessions of an endpoint that is away take none from others. */
  private boolean mayRun(
      ModelPatience.DueSession due,
      EndpointGate gate,
      ConversationMemory.MemoryRoom room,
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

  /** Looks for sessions that may try again. After a failure, the next tick looks again. */
  private void lookWithoutFailing() {
    try {
      look();
    } catch (RuntimeException fault) {
      LOG.warn("Looking for sessions that wait for their model failed", fault);
    }
  }
}
