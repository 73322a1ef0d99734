package dev.errand.delegate.command;

import dev.errand.conversation.SessionId;
import dev.errand.delegate.command.CommandReader.ParsedCommand;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import dev.errand.task.SubmitResult;
import dev.errand.task.TaskCaller;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.skill.SkillLoader;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Predicate;

/** Runs the commands of models and clients. */
@Singleton
public class CommandRunner {

  private final CommandSubmitter submitter;
  private final SkillPrompts prompts;
  private final SkillLoader loader;
  private final SessionStore sessions;

  CommandRunner(
      CommandSubmitter submitter, SkillPrompts prompts, SkillLoader loader, SessionStore sessions) {
    this.submitter = submitter;
    this.prompts = prompts;
    this.loader = loader;
    this.sessions = sessions;
  }

  /** Runs a command. A task of the skill agent is queued while that agent is busy. */
  public CommandOutcome run(CommandCall given) {
    var session = sessions.find(given.session());
    if (session.isEmpty()) {
      return new CommandOutcome.InvalidCommand("There is no session " + given.session() + ".");
    }
    return switch (CommandReader.read(given.line())) {
      case ParsedCommand.Wrong wrong -> new CommandOutcome.InvalidCommand(wrong.text());
      case ParsedCommand.Help help -> new CommandOutcome.Output(help.text());
      case ParsedCommand.LoadSkill load -> load(session.get(), load.key());
      case ParsedCommand.Delegate delegate -> delegate(given, session.get(), delegate);
    };
  }

  private CommandOutcome load(Session session, String key) {
    var skills = loader.of(session.tenant());
    var name = skills.subject(key);
    var denial = session.permissions().denial(List.of("skill"), name);
    if (denial.isPresent()) {
      return new CommandOutcome.InvalidCommand(
          "Permission denied: this session may not use skill on %s: %s."
              .formatted(name, denial.get().reason()));
    }
    try {
      return new CommandOutcome.Loaded(skills.load(key));
    } catch (ToolFailure failure) {
      return new CommandOutcome.InvalidCommand(failure.getMessage());
    }
  }

  private CommandOutcome delegate(
      CommandCall given, Session session, ParsedCommand.Delegate submission) {
    if (!submission.command().isOfSkills()) {
      return new CommandOutcome.Submitted(submitter.submit(given, submission.fields()));
    }
    try {
      var notes = prompts.rewrite(submission, session, given);
      return new CommandOutcome.Submitted(
          submitter.submitToSkillAgent(given, submission.fields(), notes));
    } catch (ToolFailure failure) {
      return new CommandOutcome.InvalidCommand(failure.getMessage());
    }
  }

  /** The outcome of a command. */
  public sealed interface CommandOutcome {

    /** The command was done, with this output. */
    record Output(String text) implements CommandOutcome {}

    /** A skill was loaded, with this content. */
    record Loaded(String text) implements CommandOutcome {}

    /** The command is invalid; the text says what is valid. Nothing was done. */
    record InvalidCommand(String text) implements CommandOutcome {}

    /** The command delegates. */
    record Submitted(SubmitResult submission) implements CommandOutcome {}
  }

  /**
   * A command and its caller.
   *
   * @param mayQuote the sessions whose conversations a client may have quoted; a model may only
   *     name those of its own tree, which is decided elsewhere
   */
  public record CommandCall(
      SessionId session, String line, TaskCaller caller, Predicate<SessionId> mayQuote) {}
}
