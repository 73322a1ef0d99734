package dev.errand.task.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.session.Lease;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import dev.errand.task.Submission;
import dev.errand.task.Task;
import dev.errand.task.TaskStore;
import dev.errand.task.TaskWaits;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.skill.SkillLoader;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;

/** Does commands (D8), whoever gives them. */
@ApplicationScoped
public class CommandRunner {

  /** More rounds than calls can queue in any sane session; ends what would go on for ever. */
  private static final int MAX_ROUNDS = 100;

  private final CommandReader reader;
  private final CommandSubmitter submitter;
  private final SkillPrompts prompts;
  private final SkillLoader loader;
  private final SessionStore sessions;
  private final TaskStore tasks;
  private final TaskWaits waits;

  CommandRunner(
      CommandReader reader,
      CommandSubmitter submitter,
      SkillPrompts prompts,
      SkillLoader loader,
      SessionStore sessions,
      TaskStore tasks,
      TaskWaits waits) {
    this.reader = reader;
    this.submitter = submitter;
    this.prompts = prompts;
    this.loader = loader;
    this.sessions = sessions;
    this.tasks = tasks;
    this.waits = waits;
  }

  /**
   * Does it. A task of the skill agent waits until that is free, as long as the caller's patience
   * lasts, and is then refused as busy.
   */
  public CommandOutcome run(CommandCall given) {
    var session = sessions.find(given.session());
    if (session.isEmpty()) {
      return new CommandOutcome.Refused("There is no session " + given.session() + ".");
    }
    return switch (reader.read(given.line())) {
      case Command.Wrong wrong -> new CommandOutcome.Refused(wrong.text());
      case Command.Help help -> new CommandOutcome.Output(help.text());
      case Command.Load load -> load(session.get(), load.key());
      case Command.Delegate delegate -> delegate(given, session.get(), delegate);
    };
  }

  private CommandOutcome load(Session session, String key) {
    var name = loader.subject(key);
    if (!session.profile().permissions().allow("skill", name)) {
      return new CommandOutcome.Refused(
          "Permission denied: this session may not use skill on " + name + ".");
    }
    try {
      return new CommandOutcome.Loaded(loader.load(key));
    } catch (ToolFailure failure) {
      return new CommandOutcome.Refused(failure.getMessage());
    }
  }

  private CommandOutcome delegate(CommandCall given, Session session, Command.Delegate wish) {
    if (!wish.command().isOfSkills()) {
      return new CommandOutcome.Submitted(
          submitter.submit(given, wish.fields(), hold(given, given.patience())), given.patience());
    }
    try {
      prompts.rewrite(wish, session, given.call() == null);
    } catch (ToolFailure failure) {
      return new CommandOutcome.Refused(failure.getMessage());
    }
    return queued(given, wish.fields());
  }

  private CommandOutcome queued(CommandCall given, ObjectNode fields) {
    var until = System.nanoTime() + given.patience().toNanos();
    var left = given.patience();
    var submission = submitter.submitToSkillAgent(given, fields, hold(given, left));
    for (int round = 0; round < MAX_ROUNDS && isBusy(submission); round++) {
      if (!awaitFree(given, left)) {
        break;
      }
      left = Duration.ofNanos(Math.max(0, until - System.nanoTime()));
      submission = submitter.submitToSkillAgent(given, fields, hold(given, left));
    }
    return new CommandOutcome.Submitted(submission, left);
  }

  /** Whether the skill agent is free now; others may still come first. */
  private boolean awaitFree(CommandCall given, Duration limit) {
    var busy = live(given);
    if (busy.isEmpty()) {
      return true;
    }
    var task = busy.get().id();
    if (given.call() == null) {
      waits.awaitEnd(task, limit);
    } else {
      waits.awaitEnd(task, new Lease(given.session(), given.call().epoch()), limit);
    }
    return tasks.find(task).map(now -> now.ended().isPresent()).orElse(true);
  }

  private Optional<Task> live(CommandCall given) {
    return tasks
        .latestByCommand(given.session(), TaskCommand.OF_SKILLS)
        .filter(task -> task.progress().state().isLive());
  }

  private static boolean isBusy(Submission submission) {
    return submission instanceof Submission.Refused refused
        && refused.reason() == Submission.Reason.BUSY;
  }

  /** A run that delegates waits without holding anything back. */
  private static Duration hold(CommandCall given, Duration left) {
    return given.call() == null ? left : Duration.ZERO;
  }
}
