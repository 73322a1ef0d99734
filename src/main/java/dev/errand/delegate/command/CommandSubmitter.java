package dev.errand.delegate.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.SessionId;
import dev.errand.delegate.command.CommandRunner.CommandCall;
import dev.errand.task.Delegations;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskKind;
import dev.errand.task.TaskSchema;
import dev.errand.task.TaskStore;
import dev.errand.task.TaskSubmission;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** Commits the delegations of commands. The skill agent is one child of each session. */
@Singleton
class CommandSubmitter {

  private final Jdbi jdbi;
  private final TaskStore tasks;
  private final Delegations delegations;

  CommandSubmitter(Jdbi jdbi, TaskStore tasks, Delegations delegations) {
    this.jdbi = jdbi;
    this.tasks = tasks;
    this.delegations = delegations;
  }

  SubmitResult submit(CommandCall given, ObjectNode fields) {
    return delegations.submit(
        new TaskSubmission(given.session(), given.caller(), TaskSchema.read(fields)));
  }

  /**
   * Submits a task for the skill agent: continues the session's skill child if it has one, and
   * queues the task while the child is busy. Calls are serialised, because two first commands would
   * create two children.
   */
  @Transactional
  public SubmitResult submitToSkillAgent(CommandCall given, ObjectNode fields, List<String> notes) {
    lock(given.session());
    var continued = fields.deepCopy();
    tasks
        .latestByCommand(given.session(), TaskCommand.SKILL_SEARCH.agent(), TaskCommand.OF_SKILLS)
        .ifPresent(task -> {
          continued.remove("subagent_type");
          continued.put("session_id", task.child().toString());
        });
    return delegations.submit(
        new TaskSubmission(
            new TaskSubmission.Parent.Existing(given.session()),
            given.caller(),
            TaskSchema.read(continued),
            TaskKind.TASK,
            true,
            notes));
  }

  /**
   * Takes the lock until the transaction ends. Taken before all locks of rows, so that no deadlock
   * is possible.
   */
  private void lock(SessionId parent) {
    jdbi.useHandle(handle ->
        handle.execute(
            "select pg_advisory_xact_lock(hashtextextended('skill agent of ' || ?, 0))",
            parent.toString()));
  }
}
