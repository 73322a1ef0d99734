package dev.errand.task;

import dev.errand.agent.Isolation;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.UsageTotals;
import dev.errand.node.Hints;
import dev.errand.node.Topic;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.NewDelivery;
import dev.errand.outbox.OutboxStore;
import dev.errand.postgres.Json;
import dev.errand.session.InboxEntry;
import dev.errand.session.SessionUsage;
import dev.errand.session.Transcript;
import dev.errand.task.notice.AnswerText;
import dev.errand.task.notice.Notices;
import dev.errand.worktree.OwedChanges;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;

/**
 * The consequences of a child's run for its task. The end – state, result, usage – and the outbox
 * row are written in the transaction that ends the run. The first end wins (architecture, rule 14).
 */
@ApplicationScoped
public class TaskCompletion {

  private static final String END =
      """
      update task
      set session_id = :session, in_line_for = null, state = :state, stop_reason = :stopReason, result = :result, partial = :partial,
          error_code = :errorCode, error_message = :errorMessage, ended_at = clock_timestamp(),
          turns = :turns, input_tokens = :input, cached_input_tokens = :cached, output_tokens = :output, tool_calls = :calls
      where id = :id and state in ('pending', 'running')
      returning ended_at, hold_notice_until,
        array_remove(array[
          (select 'LINES' from task next where next.in_line_for = task.session_id limit 1),
          (select 'ROOM' from task held
           where held.parent_session_id = task.parent_session_id and held.state = 'pending' and held.admitted_at is null limit 1)],
          null) as waiting
      """;

  private static final UsageTotals NOTHING = new UsageTotals(0, 0, 0, 0, 0);

  private final Jdbi jdbi;
  private final Json json;
  private final TaskStore tasks;
  private final Transcript transcript;
  private final SessionUsage usage;
  private final OutboxStore outbox;
  private final ResultWebhooks posts;
  private final TaskMetrics metrics;
  private final TaskEvents events;
  private final Hints hints;
  private final Notices notices;
  private final NestedTasks nested;
  private final OwedChanges changes;

  TaskCompletion(
      Jdbi jdbi,
      Json json,
      TaskStore tasks,
      Transcript transcript,
      SessionUsage usage,
      OutboxStore outbox,
      ResultWebhooks posts,
      TaskMetrics metrics,
      TaskEvents events,
      Hints hints,
      Notices notices,
      NestedTasks nested,
      OwedChanges changes) {
    this.jdbi = jdbi;
    this.json = json;
    this.tasks = tasks;
    this.transcript = transcript;
    this.usage = usage;
    this.outbox = outbox;
    this.posts = posts;
    this.metrics = metrics;
    this.events = events;
    this.hints = hints;
    this.notices = notices;
    this.nested = nested;
    this.changes = changes;
  }

  /** Whether the parent is notified. */
  enum Notice {
    SEND,
    /** The parent was stopped together with the task. */
    SUPPRESS,
    /** The parent ends the task itself and knows that. An open tool call is answered anyway. */
    KNOWN
  }

  /**
   * @param waiting hints for the tasks that wait for this end: in line for the child, or for room
   */
  private record Stamp(Instant endedAt, Optional<Instant> holdUntil, List<Topic> waiting) {}

  /**
   * The child gave its final answer. This ends its task, unless tasks below it still run: then the
   * task is held, and their notices wake the child.
   *
   * @param reason at the turn limit the task ends even if tasks below it still run
   */
  @Transactional(TxType.MANDATORY)
  public void completed(SessionId session, String text, StopReason reason) {
    tasks
        .lockLive(session)
        .ifPresent(task -> {
          // No notice is lost here. A task below changes from live to owed in one commit, so the
          // one statement of isExpecting sees it in one of the two states. It changes from owed to
          // delivered under the lock of this session, which was taken before its inbox was found
          // empty: a later notice wakes the session.
          if (reason != StopReason.MAX_TURNS && nested.isExpecting(session)) {
            nested.hold(task);
          } else {
            end(task, TaskOutcome.completed(text, reason), Notice.SEND);
          }
          if (reason == StopReason.MAX_TURNS) {
            hints.afterCommit(Topic.ORPHANS);
          }
        });
  }

  /** The child's run failed permanently. */
  @Transactional(TxType.MANDATORY)
  public void failed(SessionId session, TaskOutcome.Error error) {
    tasks
        .lockLive(session)
        .ifPresent(task -> {
          end(task, TaskOutcome.failed(error, saidSoFar(task)), Notice.SEND);
          hints.afterCommit(Topic.ORPHANS);
        });
  }

  /** The session was taken over from a dead worker and is queued again. */
  @Transactional(TxType.MANDATORY)
  public void takenOver(SessionId session) {
    tasks.countTakeover(session);
  }

  /**
   * Ends a live task; this transaction has locked its session and its row. It runs in {@link
   * OwedChanges#around}, because the end of a task with a worktree needs its patch.
   */
  @Transactional(TxType.MANDATORY)
  void end(Task task, TaskOutcome outcome, Notice notice) {
    if (task.isolation() == Isolation.WORKTREE) {
      changes.save(task.id(), task.child(), task.startedAt() != null);
    }
    var stamp = write(task, outcome);
    var ended = tasks.find(task.id()).orElseThrow();
    var delivery = delivery(ended, outcome, stamp);
    var state =
        switch (notice) {
          case SEND -> DeliveryState.PENDING;
          case SUPPRESS -> DeliveryState.SUPPRESSED;
          case KNOWN ->
              delivery.kind() == DeliveryKind.NOTICE
                  ? DeliveryState.CONSUMED
                  : DeliveryState.PENDING;
        };
    outbox.write(delivery, state);
    events.ended(ended);
    metrics.ended(task, outcome, stamp.endedAt());
    TaskLog.ended(task, outcome);
    if (state == DeliveryState.PENDING) {
      hints.afterCommit(delivery.post() == null ? Topic.OUTBOX : Topic.WEBHOOKS);
    }
    hints.afterCommit(Topic.ENDS);
    stamp.waiting().forEach(hints::afterCommit);
  }

  private Stamp write(Task task, TaskOutcome outcome) {
    var startedAt = task.startedAt();
    var used = startedAt == null ? NOTHING : usage.since(task.child(), startedAt);
    var error = outcome.error();
    return jdbi.withHandle(handle ->
        handle
            .createQuery(END)
            .bind("id", task.id().value())
            .bind("session", task.child().value())
            .bind("turns", used.turns())
            .bind("input", used.inputTokens())
            .bind("cached", used.cachedInputTokens())
            .bind("output", used.outputTokens())
            .bind("calls", used.toolCalls())
            .bind("state", outcome.state().word())
            .bind("stopReason", outcome.stopReason().word())
            .bind("result", outcome.result())
            .bind("partial", outcome.partial())
            .bind("errorCode", error == null ? null : error.code())
            .bind("errorMessage", error == null ? null : error.message())
            .map((row, _) ->
                new Stamp(
                    row.getTimestamp("ended_at").toInstant(),
                    Optional.ofNullable(row.getTimestamp("hold_notice_until"))
                        .map(Timestamp::toInstant),
                    Stream.of((String[]) row.getArray("waiting").getArray())
                        .map(Topic::valueOf)
                        .toList()))
            .one());
  }

  private NewDelivery delivery(Task task, TaskOutcome outcome, Stamp stamp) {
    var ended = new EndedTask(task, outcome, stamp.endedAt());
    var call = task.parentCall();
    InboxEntry entry =
        call == null || task.background()
            ? new InboxEntry.Notice(notices.of(ended), stamp.endedAt(), task.id().value())
            : new InboxEntry.ToolAnswer(
                call,
                AnswerText.of(ended),
                outcome.state() != TaskState.COMPLETED,
                stamp.endedAt());
    return new NewDelivery(
        task.id(),
        task.parent(),
        entry instanceof InboxEntry.Notice ? DeliveryKind.NOTICE : DeliveryKind.TOOL_RESULT,
        json.write(entry),
        entry instanceof InboxEntry.Notice notice
            ? posts.send(ended, notice.text()).orElse(null)
            : null,
        stamp.holdUntil().orElse(null));
  }

  /** The child's last message in this task; empty when there is none. */
  String saidSoFar(Task task) {
    var startedAt = task.startedAt();
    if (startedAt == null) {
      return "";
    }
    return transcript
        .lastOfAssistant(task.child())
        .filter(last -> !last.createdAt().isBefore(startedAt))
        .map(last -> last.message().text())
        .orElse("");
  }
}
