package dev.errand.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolDefinition;
import dev.errand.permission.Permissions;
import dev.errand.postgres.TransientDatabaseError;
import dev.errand.tool.ToolRegistry.Entry;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * All tools of this service: offers them to models, validates and runs their calls. The names and
 * schemas of our own tools are read once at start; tools of a {@link ToolSource} may change at any
 * time.
 */
@ApplicationScoped
public class ToolBox {

  /** A safeguard; tools keep their results well below it. */
  static final int MAX_RESULT_CHARS = 100_000;

  private static final int MAX_QUOTED_CHARS = 200;
  private static final int LOGGED_FRAMES = 5;

  private static final Logger LOG = Logger.getLogger(ToolBox.class);

  private final List<ToolSource> sources;
  private volatile ToolRegistry registry;

  @Inject
  public ToolBox(@All List<Tool> tools, @All List<ToolSource> sources) {
    this.sources = sources;
    this.registry = ToolRegistry.of(tools);
  }

  public ToolBox(List<Tool> tools) {
    this(tools, List.of());
  }

  /**
   * Returns the tools for callers with these permissions and no particular agent, sorted by name.
   */
  public List<ToolDefinition> offered(Permissions permissions) {
    return offered(permissions, ToolContext.NO_AGENT);
  }

  /** Returns the tools for sessions of this agent with these permissions, sorted by name. */
  public List<ToolDefinition> offered(Permissions permissions, String agent) {
    return allowed(permissions, agent).map(entry -> entry.tool().definition(permissions)).toList();
  }

  /** Returns the names of the tools that {@link #offered} returns. */
  public List<String> names(Permissions permissions, String agent) {
    return allowed(permissions, agent).map(Entry::name).toList();
  }

  /** Prepares the tools that only this agent has; may block and may be interrupted. */
  public void prepare(String agent) {
    sources.forEach(source -> source.prepare(agent));
  }

  /** Finds a tool by name, ignoring case. */
  public Optional<Tool> find(String name) {
    return registry().find(name).map(Entry::tool);
  }

  /**
   * Runs one call. An unknown tool, invalid arguments, a missing permission and an exception of the
   * tool become error results that explain how to correct the call. Only a lost connection to our
   * own database is thrown: the call may have been committed, and a model that reads an error would
   * repeat it. The run then ends, and the next run finds out.
   */
  public ToolOutcome call(Content.ToolCall call, ToolContext context, Permissions permissions) {
    return registry()
        .find(call.name())
        .filter(entry -> entry.tool().isOf(context.agent()))
        .map(entry -> call(entry, call.arguments(), context.with(permissions), permissions))
        .orElseGet(() -> unknown(call.name(), permissions, context.agent()));
  }

  private static ToolOutcome call(
      Entry entry, JsonNode arguments, ToolContext context, Permissions permissions) {
    if (!mayUse(entry, permissions)) {
      return ToolOutcome.error(
          "Permission denied: this session may not use %s.".formatted(entry.name()));
    }
    try {
      return capped(checkAndCall(entry, arguments, context, permissions));
    } catch (ToolFailure failure) {
      return capped(ToolOutcome.error(failure.getMessage()));
    } catch (RuntimeException | StackOverflowError failure) {
      if (failure instanceof RuntimeException fault && TransientDatabaseError.is(fault)) {
        throw fault;
      }
      return failed(entry, failure);
    }
  }

  private static ToolOutcome checkAndCall(
      Entry entry, JsonNode given, ToolContext context, Permissions permissions) {
    var arguments = object(entry, given);
    entry.tool().canonicalize(arguments);
    if (entry.own()) {
      arguments.removeNulls();
    }
    var problems = entry.check().apply(arguments);
    if (!problems.isEmpty()) {
      return invalid(entry, problems);
    }
    if (entry.tool().checksSubject()) {
      return entry.tool().call(arguments, context);
    }
    var subject = entry.tool().subject(arguments, context);
    if (!permissions.allow(entry.tool().permissions(), subject)) {
      return ToolOutcome.error(
          "Permission denied: this session may not use %s on %s."
              .formatted(entry.name(), TextCut.withEllipsis(subject, MAX_QUOTED_CHARS)));
    }
    return entry.tool().call(arguments, context);
  }

  /** Returns a copy of the arguments. Models send nothing for tools without parameters. */
  private static ObjectNode object(Entry entry, JsonNode given) {
    if (given instanceof ObjectNode object) {
      return object.deepCopy();
    }
    if (given.asText().isBlank() || given.isNull()) {
      return JsonNodeFactory.instance.objectNode();
    }
    throw new ToolFailure(
        "Invalid arguments for %s: must be a JSON object that matches the tool's schema."
            .formatted(entry.name()));
  }

  private ToolOutcome unknown(String name, Permissions permissions, String agent) {
    var reason =
        sources.stream().flatMap(source -> source.whyAbsent(name, agent).stream()).findFirst();
    if (reason.isPresent()) {
      return ToolOutcome.error(reason.get());
    }
    var known = allowed(permissions, agent).map(Entry::name).collect(Collectors.joining(", "));
    return ToolOutcome.error(
        "There is no tool named '%s'. Known tools: %s."
            .formatted(
                TextCut.withEllipsis(name, MAX_QUOTED_CHARS), known.isEmpty() ? "none" : known));
  }

  private static ToolOutcome invalid(Entry entry, List<FieldProblem> problems) {
    return ToolOutcome.error(
        problems.stream()
            .map(FieldProblem::toString)
            .collect(Collectors.joining("; ", "Invalid arguments for " + entry.name() + ": ", "")));
  }

  /**
   * Logs the type and the origin of the failure, but not its message, which may quote arguments.
   */
  private static ToolOutcome failed(Entry entry, Throwable failure) {
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

  private static ToolOutcome capped(ToolOutcome outcome) {
    return switch (outcome) {
      case ToolOutcome.Deferred deferred -> deferred;
      case ToolOutcome.Done done when done.text().length() <= MAX_RESULT_CHARS -> done;
      case ToolOutcome.Done done ->
          new ToolOutcome.Done(
              "%s\n(The result was cut: it has %d characters, of which %d are shown.)"
                  .formatted(
                      TextCut.withEllipsis(done.text(), MAX_RESULT_CHARS),
                      done.text().length(),
                      MAX_RESULT_CHARS),
              done.isError());
    };
  }

  private static boolean mayUse(Entry entry, Permissions permissions) {
    return permissions.mayEverAllow(entry.tool().permissions())
        && (!entry.tool().needsGrant() || permissions.grant(entry.name()));
  }

  private Stream<Entry> allowed(Permissions permissions, String agent) {
    return registry().entries().stream()
        .filter(entry -> entry.tool().isOf(agent))
        .filter(entry -> mayUse(entry, permissions))
        .filter(entry -> entry.tool().isOffered() && entry.tool().isOfUse(permissions));
  }

  /**
   * Rebuilds the registry if a source returned another list. Two threads may do so at the same time
   * without harm.
   */
  private ToolRegistry registry() {
    var current = registry;
    var lists = sources.stream().map(ToolSource::tools).toList();
    if (sources.isEmpty() || current.isBuiltFrom(lists)) {
      return current;
    }
    var rebuilt = current.with(lists);
    registry = rebuilt;
    return rebuilt;
  }
}
