package dev.errand.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.TextCut;
import dev.errand.postgres.SqlErrors;
import dev.errand.secret.Secrets;
import dev.errand.tool.ToolRegistry.RegisteredTool;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * A call of a known tool: validates the arguments, checks the permissions, runs the tool and limits
 * the size of the result.
 */
record CheckedCall(RegisteredTool entry, ToolContext context) {

  private static final Logger LOG = Logger.getLogger(CheckedCall.class);

  /** A safeguard; tools keep their results well below it. */
  private static final int MAX_RESULT_CHARS = 100_000;

  private static final int MAX_QUOTED_CHARS = 200;
  private static final int LOGGED_FRAMES = 5;

  ToolOutcome run(JsonNode arguments) {
    var denial = entry.denial(context.permissions());
    if (denial.isPresent()) {
      return denied(entry.name(), denial.get());
    }
    try {
      return limited(checkAndRun(arguments));
    } catch (ToolFailure failure) {
      return limited(ToolOutcome.error(failure.getMessage()));
    } catch (RuntimeException | StackOverflowError failure) {
      if (failure instanceof RuntimeException fault && SqlErrors.isTransient(fault)) {
        throw fault;
      }
      return failed(failure);
    }
  }

  /**
   * Returns the arguments with the names of the schema if the call may be made as far as that is
   * known without making it.
   */
  Optional<ObjectNode> approved(JsonNode given) {
    try {
      var arguments = canonical(given);
      return entry.denial(context.permissions()).isEmpty() && problem(arguments).isEmpty()
          ? Optional.of(arguments)
          : Optional.empty();
    } catch (RuntimeException | StackOverflowError failure) {
      return Optional.empty(); // the call fails in the same way
    }
  }

  private ToolOutcome checkAndRun(JsonNode given) {
    var arguments = canonical(given);
    return problem(arguments).orElseGet(() -> entry.tool().call(arguments, context));
  }

  private ObjectNode canonical(JsonNode given) {
    var arguments = object(given);
    entry.tool().canonicalize(arguments);
    if (entry.own()) {
      arguments.removeNulls();
    }
    return arguments;
  }

  private Optional<ToolOutcome> problem(ObjectNode arguments) {
    var tool = entry.tool();
    var problems = entry.check().apply(arguments);
    if (!problems.isEmpty()) {
      return Optional.of(invalid(problems));
    }
    if (!tool.checksSubject()) {
      var subject = tool.subject(arguments, context);
      var denial = context.permissions().denial(tool.permissions(), subject);
      if (denial.isPresent()) {
        var quoted = TextCut.withEllipsis(subject, MAX_QUOTED_CHARS);
        return Optional.of(denied(entry.name() + " on " + quoted, denial.get().reason()));
      }
    }
    return Optional.empty();
  }

  /** Returns a copy of the arguments. Models send nothing for tools without parameters. */
  private ObjectNode object(JsonNode given) {
    if (given instanceof ObjectNode object) {
      return object.deepCopy();
    }
    if (given.asText().isBlank() || given.isNull()) {
      return JsonNodeFactory.instance.objectNode();
    }
    throw new ToolFailure(
        "Invalid arguments for %s: must be a JSON object that matches the tool's schema, nested at most %d levels deep."
            .formatted(entry.name(), Content.MAX_DEPTH));
  }

  private static ToolOutcome denied(String use, String reason) {
    return ToolOutcome.error(
        "Permission denied: this session may not use %s: %s.".formatted(use, reason));
  }

  private ToolOutcome invalid(List<FieldProblem> problems) {
    return ToolOutcome.error(ToolFailure.invalid(entry.name(), problems).getMessage());
  }

  /**
   * Logs the type and the origin of the failure, but not its message, which may quote arguments.
   */
  private ToolOutcome failed(Throwable failure) {
    if (Thread.currentThread().isInterrupted()) {
      return ToolOutcome.error("The call to %s was interrupted.".formatted(entry.name()));
    }
    var frames = Arrays.stream(failure.getStackTrace()).limit(LOGGED_FRAMES).toList();
    LOG.warnf("%s failed: %s at %s", entry.name(), failure.getClass().getName(), frames);
    LOG.debugf(failure, "%s failed", entry.name());
    return ToolOutcome.error(
        "%s failed because of an internal error. Other arguments or another tool may work."
            .formatted(entry.name()));
  }

  private static ToolOutcome limited(ToolOutcome outcome) {
    return switch (outcome) {
      case ToolOutcome.Deferred deferred -> deferred;
      case ToolOutcome.Done done when done.text().length() <= MAX_RESULT_CHARS -> done;
      // Masked before the cut, which could leave a part of a secret.
      case ToolOutcome.Done done ->
          new ToolOutcome.Done(
              "%s\n(The result was cut: it has %d characters, of which %d are shown.)"
                  .formatted(
                      TextCut.withEllipsis(Secrets.masked(done.text()), MAX_RESULT_CHARS),
                      done.text().length(),
                      MAX_RESULT_CHARS),
              done.isError());
    };
  }
}
