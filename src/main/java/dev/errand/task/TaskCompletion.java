package dev.errand.task;

import dev.errand.agent.Isolation;
import dev.errand.conversation.Message;
import dev.errand.conversation.SessionId;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.Delivery.NewDelivery;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.OutboxStore;
import dev.errand.session.SessionRests;
import dev.errand.session.SessionTotals;
import dev.errand.session.StoredMessage;
import dev.errand.session.Transcript;
import dev.errand.worktree.OwedChanges;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The consequences of a child's run for its task. The end – state, result, usage – and the outbox
 * row are written in the transaction that ends the run. The first end wins (architecture, rule 14).
 */
@Singleton
public class TaskCompletion {

  private final TaskEnds ends;
  private final TaskStore tasks;
  private final Transcript transcript;
  private final OutboxStore outbox;
  private final TaskMetrics metrics;
  private final TaskEvents events;
  private final Hints hints;
  private final SessionRests rests;
  private final OwedChanges changes;

  TaskCompletion(
      TaskEnds ends,
      TaskStore tasks,
      Transcript transcript,
      OutboxStore outbox,
      TaskMetrics metrics,
      TaskEvents events,
      Hints hints,
      SessionRests rests,
      OwedChanges changes) {
    this.ends = ends;
    this.tasks = tasks;
    this.transcript = transcript;
    this.outbox = outbox;
    this.metrics = metrics;
    this.events = events;
    this.hints = hints;
    this.rests = rests;
    this.changes = changes;
  }

  /**
   * Takes the final answer of a child. This ends its task, unless tasks below it still run: then
   * the child waits for them, and their notices wake it.
   *
   * @param child made idle by this transaction, with an empty inbox
   * @param reason at the turn limit the task ends even if tasks below it still run; a child without
   *     an answer has waited for these
   */
  @Transactional(TxType.MANDATORY)
  public void completed(SessionTotals child, String text, StopReason reason) {
    if (child.isRoot()) {
      return;
    }
    // No notice is lost here. A task below changes from live to owed in one commit, so a statement
    // that ends the task sees it in one of the two states. It changes from owed to delivered under
    // the lock of this session, which was taken before its inbox was found empty: a later notice
    // wakes the session.
    var outcome = TaskOutcome.completed(text, reason);
    var early = reason == StopReason.MAX_TURNS || reason == StopReason.NO_ANSWER;
    var ended = early ? ends.endOf(child.id(), outcome) : ends.endUnlessExpecting(child, outcome);
    if (ended.isPresent()) {
      rests.finished(child.id());
      finish(ended.get(), outcome, ParentNotice.SEND);
      if (early) {
        hints.afterCommit(Topic.ORPHANS);
      }
    } else if (tasks.lockLive(child.id()).isPresent()) {
      rests.waitsBelow(child.id());
    } else {
      rests.finished(child.id());
    }
  }

  /** Ends the task of a child whose run failed permanently. */
  @Transactional(TxType.MANDATORY)
  public void failed(SessionId session, TaskOutcome.Error error) {
    tasks
        .lockLive(session)
        .ifPresent(task -> {
          end(task, TaskOutcome.failed(error, saidSoFar(task)), ParentNotice.SEND);
          hints.afterCommit(Topic.ORPHANS);
        });
  }

  /** Records that the session was taken over from a dead worker and is queued again. */
  @Transactional(TxType.MANDATORY)
  public void takenOver(SessionId session) {
    tasks.countTakeover(session);
  }

  /**
   * Ends a live task; this transaction has locked its session and its row. It runs in {@link
   * OwedChanges#around}, because the end of a task with a worktree needs its patch.
   */
  @Transactional(TxType.MANDATORY)
  void end(Task task, TaskOutcome outcome, ParentNotice notice) {
    finish(ends.end(task.id(), outcome), outcome, notice);
  }

  private void finish(TaskEnds.EndedTask ended, TaskOutcome outcome, ParentNotice notice) {
    var task = withChange(ended.task());
    var delivery = delivery(task, ended);
    var state =
        switch (notice) {
          case SEND -> DeliveryState.PENDING;
          case SUPPRESS -> unlessAnswer(delivery, DeliveryState.SUPPRESSED);
          case KNOWN -> unlessAnswer(delivery, DeliveryState.CONSUMED);
        };
    outbox.write(delivery, state);
    events.ended(task, ended.parent().origin());
    metrics.ended(task, outcome, endedAt(task));
    TaskLog.ended(task, outcome);
    if (state == DeliveryState.PENDING) {
      hints.afterCommit(delivery.host() == null ? Topic.OUTBOX : Topic.OUTGOING);
    }
    hints.afterCommit(Topic.ENDS);
    if (ended.awaited()) {
      hints.afterCommit(Topic.WAITS);
    }
  }

  /** A tool call that waits for the answer must get it; one that does not wait ignores it. */
  private static DeliveryState unlessAnswer(NewDelivery delivery, DeliveryState state) {
    return delivery.kind() == DeliveryKind.NOTICE ? state : DeliveryState.PENDING;
  }

  /** Returns the task with what it changed in its copy of the workspace, if it has one. */
  private Task withChange(Task task) {
    if (task.isolation() != Isolation.WORKTREE) {
      return task;
    }
    changes.save(task.id(), task.child(), task.startedAt() != null);
    return tasks.find(task.id()).orElseThrow();
  }

  private static Instant endedAt(Task task) {
    return Objects.requireNonNull(task.endedAt());
  }

  /** The answer to a tool call goes only to the parent, a notice to its callback, too. */
  private static NewDelivery delivery(Task task, TaskEnds.EndedTask end) {
    return task.answersCall()
        ? new NewDelivery(task.id(), task.parent(), DeliveryKind.TOOL_RESULT, null, end.keepUntil())
        : new NewDelivery(
            task.id(), task.parent(), DeliveryKind.NOTICE, end.parent().host(), end.keepUntil());
  }

  /** Returns the child's last words in this task; empty when it has said nothing. */
  String saidSoFar(Task task) {
    var startedAt = task.startedAt();
    if (startedAt == null) {
      return "";
    }
    return transcript.saidSince(task.child(), startedAt).reversed().stream()
        .map(StoredMessage::message)
        .filter(Message::hasWords)
        .findFirst()
        .map(Message::text)
        .orElse("");
  }

  /** Returns the child's last answer; empty when it has no words. */
  Optional<String> lastAnswer(SessionId child) {
    return transcript
        .lastOfAssistant(child)
        .map(StoredMessage::message)
        .filter(Message::hasWords)
        .map(Message::text);
  }
}
