package dev.errand.task;

import dev.errand.conversation.TaskId;
import dev.errand.outbox.CallbackEvent;
import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.session.LimitConfig;
import dev.errand.session.NewChildren;
import dev.errand.session.SessionStore;
import dev.errand.task.TaskPlan.Child;
import dev.errand.tenant.Tenants;
import dev.errand.trace.TraceContext;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * Inserts planned tasks, each with its child, and reads in the same statement what decides whether
 * the task is accepted.
 */
@Singleton
class TaskInserts {

  /**
   * The counts do not contain the inserted row, nor what is committed after the statement began.
   */
  private static final String INSERT =
      """
      with fresh as (
        insert into task (id, tenant, kind, parent_session_id, parent_tool_call_id, root_session_id, session_id,
                          queued_for, queue_position,
                          subagent_type, description, prompt, label, command, background, generation, priority, cleanup,
                          model, max_turns, timeout_ms, trace_parent, hold_notice_until, callback_events, isolation,
                          thoroughness, notes, rights)
        values (:id, :tenant, :kind, :parent, :call, :root, :child,
                :line::uuid, case when :line::uuid is not null then nextval('task_queue_position') end,
                :agent, :description, :prompt, :label, :command, :background, :generation, :priority, :cleanup,
                :model, :maxTurns, :timeoutMs, :trace, now() + :keepMs * interval '1 millisecond', nullif(:callbackEvents::text[], '{}'), :isolation,
                :thoroughness, :notes::jsonb, :rights::jsonb)
        on conflict do nothing
        returning *)
      select fresh.*, null::text as delivery_state, null::text as changes,
             exists (select 1 from task where session_id = :parent and state in ('pending', 'running')) as parent_works,
             (select count(*) from (
                select 1 from task where tenant = :tenant and state = 'pending' limit :maxPending) waiting) as pending,
             case when :background then (
               select count(*) from task
               where parent_session_id = :parent and background and state in ('pending', 'running') and queued_for is null) else 0 end as siblings,
             delegations
      from tree left join fresh on true where tree.root_id = :root
      """;

  private final NewChildren children;
  private final SessionStore sessions;
  private final LimitConfig limits;
  private final Tenants tenants;
  private final Json json;
  private final Jdbi jdbi;
  private final TaskMapper mapper = new TaskMapper();

  TaskInserts(
      NewChildren children,
      SessionStore sessions,
      LimitConfig limits,
      Tenants tenants,
      Json json,
      Jdbi jdbi) {
    this.children = children;
    this.sessions = sessions;
    this.limits = limits;
    this.tenants = tenants;
    this.json = json;
    this.jdbi = jdbi;
  }

  /** The outcome of an insertion. */
  sealed interface Insertion {

    /**
     * There is a new task.
     *
     * @param child null when a child is continued
     * @param parentWorks whether the parent is the child of a live task
     * @param pending the tenant's pending tasks, counted up to its limit, without this one
     * @param maxPending its limit
     * @param siblings live background tasks of the parent, without this one; not counted for a
     *     foreground task
     * @param delegations of the tree so far
     */
    record Inserted(
        Task task,
        NewChildren.@Nullable CreatedChild child,
        boolean parentWorks,
        long pending,
        int maxPending,
        int siblings,
        int delegations)
        implements Insertion {}

    /** The same tool call has made a task already; nothing was inserted. */
    record Repeated() implements Insertion {}
  }

  /** Creates or adjusts the child of a planned task, and inserts the task. */
  @Transactional(TxType.MANDATORY)
  Insertion insert(TaskId id, TaskPlan plan) {
    var pipeline = new Pipeline();
    var child = child(pipeline, plan);
    var own = tenants.of(plan.parent().tenant()).maxPendingTasks();
    int maxPending = own == null ? limits.maxPending() : own;
    var inserted =
        pipeline.query(
            statement(plan).bind("id", id.value()).bind("maxPending", maxPending),
            (row, context) -> insertion(row, context, child, maxPending));
    pipeline.execute(jdbi);
    return inserted.one();
  }

  private NewChildren.@Nullable CreatedChild child(Pipeline pipeline, TaskPlan plan) {
    return switch (plan.child()) {
      case Child.New(var session, _) ->
          children.create(
              pipeline,
              session,
              FirstRuns.message(plan.request().prompt(), plan.request().thoroughness()));
      case Child.Continued(var id, var spec) -> {
        sessions.adjust(id, spec.model(), spec.maxTurns(), plan.generation());
        yield null;
      }
      case Child.Busy _ -> null;
    };
  }

  private Statement statement(TaskPlan plan) {
    var request = plan.request();
    var child = plan.child();
    var isBusy = child instanceof Child.Busy;
    return Statement.of(INSERT)
        .bind("tenant", plan.parent().tenant())
        .bind("kind", plan.submission().kind())
        .bind("parent", plan.parent().id().value())
        .bind("call", call(plan.submission().caller()))
        .bind("root", plan.parent().root().value())
        .bind("child", isBusy ? null : child.id().value())
        .bind("line", isBusy ? child.id().value() : null)
        .bind("agent", child.spec().agent())
        .bind("description", request.description())
        .bind("prompt", request.prompt())
        .bind("label", request.label())
        .bind("command", request.command())
        .bind("background", request.inBackground())
        .bind("generation", plan.generation())
        .bind("priority", Objects.requireNonNullElse(request.priority(), 0))
        .bind("cleanup", Objects.requireNonNullElse(request.cleanup(), CleanupPolicy.KEEP))
        .bind("model", child.spec().model())
        .bind("maxTurns", child.spec().maxTurns())
        .bind("timeoutMs", plan.timeoutMs())
        .bind("thoroughness", request.thoroughness())
        .bind("notes", TaskNotes.write(plan.notes()))
        .bind("trace", TraceContext.current())
        .bind("keepMs", plan.submission().waitsFor().toMillis())
        .bindArray("callbackEvents", "text", callbackEvents(plan.submission().caller()))
        .bind("isolation", plan.isolation())
        .bind("rights", json.write(plan.rights()));
  }

  private static @Nullable String call(TaskCaller caller) {
    return caller instanceof TaskCaller.ParentCall(var key, _) ? key : null;
  }

  private static Stream<CallbackEvent> callbackEvents(TaskCaller caller) {
    return caller instanceof TaskCaller.Client(_, _, var callback) && callback != null
        ? callback.events().stream()
        : Stream.empty();
  }

  private Insertion insertion(
      ResultSet row,
      StatementContext context,
      NewChildren.@Nullable CreatedChild child,
      int maxPending)
      throws SQLException {
    return row.getObject("id") == null
        ? new Insertion.Repeated()
        : new Insertion.Inserted(
            mapper.map(row, context),
            child,
            row.getBoolean("parent_works"),
            row.getLong("pending"),
            maxPending,
            row.getInt("siblings"),
            row.getInt("delegations"));
  }
}
