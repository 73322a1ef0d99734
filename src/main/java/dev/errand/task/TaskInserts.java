package dev.errand.task;

import dev.errand.postgres.Json;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.session.LimitConfig;
import dev.errand.tenant.Tenants;
import dev.errand.trace.TraceContext;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Inserts tasks, and reads in the same statement what decides whether a task is accepted. */
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
                :model, :maxTurns, :timeoutMs, :trace, now() + :holdMs * interval '1 millisecond', nullif(:callbackEvents::text[], '{}'), :isolation,
                :thoroughness, :notes::jsonb, :rights::jsonb)
        on conflict do nothing
        returning created_at)
      select (select created_at from fresh) as created_at,
             exists (select 1 from task where session_id = :parent and state in ('pending', 'running')) as parent_works,
             (select count(*) from (
                select 1 from task where tenant = :tenant and state = 'pending' limit :maxPending) waiting) as pending,
             case when :background then (
               select count(*) from task
               where parent_session_id = :parent and background and state in ('pending', 'running') and queued_for is null) else 0 end as siblings,
             delegations, max_background_tasks
      from tree where root_id = :root
      """;

  private final Json json;
  private final LimitConfig limits;
  private final Tenants tenants;

  TaskInserts(Json json, LimitConfig limits, Tenants tenants) {
    this.json = json;
    this.limits = limits;
    this.tenants = tenants;
  }

  /**
   * What was found when a task was inserted, without the task itself.
   *
   * @param createdAt null when there is a task of the same tool call already, or the child has
   *     another live task by now; nothing was inserted
   * @param parentWorks whether the parent is the child of a live task
   * @param pending the tenant's pending tasks, counted up to its limit
   * @param maxPending its limit
   * @param siblings live background tasks of the parent; not counted for a foreground task
   * @param delegations of the tree so far
   * @param maxBackgroundTasks of the tree
   */
  record Inserted(
      @Nullable Instant createdAt,
      boolean parentWorks,
      long pending,
      int maxPending,
      int siblings,
      int delegations,
      int maxBackgroundTasks) {}

  /** Adds to a pipeline what inserts a task, unless a unique key forbids it. */
  @Transactional(TxType.MANDATORY)
  Pipeline.Rows<Inserted> insert(Pipeline pipeline, NewTask task, TaskSpec spec) {
    var child = task.child().value();
    var own = tenants.of(task.tenant()).maxPendingTasks();
    int maxPending = own == null ? limits.maxPending() : own;
    var thoroughness = spec.thoroughness();
    return pipeline.query(
        Statement.of(INSERT)
            .bind("id", task.id().value())
            .bind("tenant", task.tenant())
            .bind("kind", spec.kind().word())
            .bind("parent", task.parent().value())
            .bind("call", task.parentCall())
            .bind("root", task.root().value())
            .bind("child", task.queued() ? null : child)
            .bind("line", task.queued() ? child : null)
            .bind("agent", spec.subagentType())
            .bind("description", spec.description())
            .bind("prompt", spec.prompt())
            .bind("label", spec.label())
            .bind("command", spec.command())
            .bind("background", spec.background())
            .bind("generation", task.generation())
            .bind("priority", spec.priority())
            .bind("cleanup", spec.cleanup().word())
            .bind("model", spec.model())
            .bind("maxTurns", spec.maxTurns())
            .bind("timeoutMs", spec.timeoutMs())
            .bind("thoroughness", thoroughness == null ? null : thoroughness.word())
            .bind("notes", TaskNotes.write(spec.notes()))
            .bind("trace", TraceContext.current())
            .bind("holdMs", task.holdNoticeFor().toMillis())
            .bindArray("callbackEvents", "text", task.callbackWords().stream())
            .bind("isolation", spec.isolation().word())
            .bind("rights", json.write(spec.rights()))
            .bind("maxPending", maxPending),
        (row, _) -> inserted(row, maxPending));
  }

  private static Inserted inserted(ResultSet row, int maxPending) throws SQLException {
    var createdAt = row.getTimestamp("created_at");
    return new Inserted(
        createdAt == null ? null : createdAt.toInstant(),
        row.getBoolean("parent_works"),
        row.getLong("pending"),
        maxPending,
        row.getInt("siblings"),
        row.getInt("delegations"),
        row.getInt("max_background_tasks"));
  }
}
