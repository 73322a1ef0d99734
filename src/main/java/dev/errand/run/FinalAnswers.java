package dev.errand.run;

import dev.errand.context.Conversation;
import dev.errand.session.Lease;
import dev.errand.session.ModelCall;
import dev.errand.session.ModelCalls;
import dev.errand.session.Session;
import dev.errand.session.StoredMessage;
import dev.errand.session.Transcript;
import dev.errand.task.NestedTasks;
import dev.errand.task.StopReason;
import dev.errand.task.Task;
import dev.errand.task.TaskStore;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides how a run ends that has nothing to answer any more. A task needs an answer with words,
 * and so does a message of a user. An agent that ends without words is asked once for its closing
 * answer. Then its earlier words are the result; without any, the run fails.
 */
@Singleton
class FinalAnswers {

  private static final String SILENT =
      "the model ended its turn without a text, also when it was asked for its answer";

  private final Transcript transcript;
  private final TaskStore tasks;
  private final NestedTasks nested;
  private final ModelCalls modelCalls;

  FinalAnswers(Transcript transcript, TaskStore tasks, NestedTasks nested, ModelCalls modelCalls) {
    this.transcript = transcript;
    this.tasks = tasks;
    this.nested = nested;
    this.modelCalls = modelCalls;
  }

  /**
   * Returns how the run ends; empty when the agent is asked for its closing answer.
   *
   * @param turnsUsedUp whether the last answer was given in the turn after the last one
   */
  Optional<LoopEnd> end(Session session, Conversation conversation, boolean turnsUsedUp) {
    if (conversation.last().filter(last -> !last.message().hasWords()).isEmpty()) {
      return Optional.of(answered(conversation, turnsUsedUp));
    }
    var taskSince = liveTaskSince(session);
    var since = taskSince.or(() -> conversation.lastRequest().map(StoredMessage::createdAt));
    var silence =
        new Silence(since.map(from -> transcript.saidSince(session.id(), from)).orElse(List.of()));
    if (taskSince.isEmpty() && (since.isEmpty() || silence.isAnswered())) {
      return Optional.of(answered(conversation, turnsUsedUp));
    }
    if (taskSince.isPresent() && !turnsUsedUp && nested.isExpecting(session.id())) {
      return Optional.of(new LoopEnd.Expecting());
    }
    return silence.wasAsked() ? Optional.of(withoutAnswer(silence)) : Optional.empty();
  }

  /**
   * Begins the turn in which the agent is asked.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session
   */
  ModelCall ask(Lease lease, Session session) {
    return modelCalls.beginClosing(lease, session.model());
  }

  private static LoopEnd answered(Conversation conversation, boolean turnsUsedUp) {
    var reason = conversation.answerIsCut() ? StopReason.MAX_TOKENS : StopReason.END_TURN;
    var early = turnsUsedUp || conversation.repeatsItself();
    return new LoopEnd.Finished(
        conversation.answer(), early ? StopReason.MAX_TURNS : reason, false);
  }

  private static LoopEnd withoutAnswer(Silence silence) {
    var words = silence.words();
    return words.isEmpty()
        ? new LoopEnd.Failed(FailureCode.MODEL_EMPTY_ANSWER, SILENT)
        : new LoopEnd.Finished(words, StopReason.NO_ANSWER, false);
  }

  /**
   * Returns the start of the session's live task; empty for a root, and for a child whose task has
   * ended.
   */
  private Optional<Instant> liveTaskSince(Session session) {
    return session.parent() == null
        ? Optional.empty()
        : tasks.latestOf(session.id()).filter(task -> task.state().isLive()).map(Task::startedAt);
  }
}
