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
 * All tools of this service: offers them to models, and checks and makes their calls. The name and
 * schema of our own tools are taken once, when the service starts; those of the sources as they
 * come and go.
 */
@ApplicationScoped
public class ToolBox {

  /** The last line of defence; tools keep their results well below. */
  static final int MAX_RESULT_CHARS = 100_000;

  private static final int MAX_QUOTED_CHARS = 200;
  private static final int LOGGED_FRAMES = 5;

  private static final Logger LOG = Logger.getLogger(ToolBox.class);

  private final List<ToolSource> sources;
  private volatile ToolRegistry shelf;

  @Inject
  public ToolBox(@All List<Tool> tools, @All List<ToolSource> sources) {
    this.sources = sources;
    this.shelf = ToolRegistry.of(tools);
  }

  public ToolBox(List<Tool> tools) {
    this(tools, List.of());
  }

  /** What anybody with these permissions may use, sorted by name. */
  public List<ToolDefinition> offered(Permissions permissions) {
    return offered(permissions, ToolContext.NO_AGENT);
  }

  /** What a session of this agent with these permissions may use, sorted by name. */
  public List<ToolDefinition> offered(Permissions permissions, String agent) {
    return allowed(permissions, agent).map(entry -> entry.tool().definition(permissions)).toList();
  }

  /** The names of what {@link #offered} tells of. */
  public List<String> names(Permissions permissions, String agent) {
    return allowed(permissions, agent).map(Entry::name).toList();
  }

  /** Makes ready what this agent alone has; may wait, and may be interrupted. */
  public void prepare(String agent) {
    sources.forEach(source -> source.prepare(agent));
  }

  /** The tool of that name, in upper or lower case. */
  public Optional<Tool> find(String name) {
    return shelf().find(name).map(Entry::tool);
  }

  /**
   * Makes one call. An unknown tool, arguments that do not fit its schema, a missing permission and
   * an exception of the tool are error results that say what would be right (D10). Thrown is only
   * that our own database was away: a commit whose answer was lost may have been made, and a model
   * that is told of an error would repeat what is done. The run breaks off, and the next one finds
   * out.
   */
  public ToolOutcome call(Content.ToolCall call, ToolContext context, Permissions permissions) {
    return shelf()
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

  /** A copy of the arguments; models send nothing at all for tools without parameters. */
  private static ObjectNode object(Entry entry, JsonNode given) {
    if (given instanceof ObjectNode object) {
      return object.deepCopy();
    }
    if (given.asText().isBlank() || given.isNull()) {
      return JsonNodeFactory.instance.objectNode();
    }
    throw new ToolFailure(
        "Invalid arguments for %s: must be one JSON object that fits the tool's schema."
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

  /** The log names what failed and where, but not the message: it may quote the arguments. */
  private static ToolOutcome failed(Entry entry, Throwable failure) {
    if (Thread.currentThread().isInterrupted()) {
      return ToolOutcome.error("The call of %s was interrupted.".formatted(entry.name()));
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
    return shelf().entries().stream()
        .filter(entry -> entry.tool().isOf(agent))
        .filter(entry -> mayUse(entry, permissions))
        .filter(entry -> entry.tool().isOffered() && entry.tool().isOfUse(permissions));
  }

  /** Made anew only when a source gave another list; two threads may both make it, to no harm. */
  private ToolRegistry shelf() {
    var known = shelf;
    var lists = sources.stream().map(ToolSource::tools).toList();
    if (sources.isEmpty() || known.isOf(lists)) {
      return known;
    }
    var made = known.with(lists);
    shelf = made;
    return made;
  }
}
