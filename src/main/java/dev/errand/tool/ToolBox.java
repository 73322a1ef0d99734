package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolDefinition;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolRegistry.RegisteredTool;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All tools of this service: offers them to models, validates and runs their calls. The names,
 * schemas and general descriptions of our own tools are read once at start; tools of a {@link
 * ToolSource} may change at any time.
 */
@ApplicationScoped
public class ToolBox {

  private static final int MAX_QUOTED_CHARS = 200;

  private final List<ToolSource> sources;
  private final ToolSelection selection = new ToolSelection();
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
    return offered(permissions, ToolUser.NOBODY);
  }

  /** Returns the tools for sessions of this agent with these permissions, sorted by name. */
  public List<ToolDefinition> offered(Permissions permissions, ToolUser user) {
    return ofUse(permissions, user).map(entry -> whole(entry, permissions, user)).toList();
  }

  private static ToolDefinition whole(
      RegisteredTool entry, Permissions permissions, ToolUser user) {
    var tool = entry.definition(permissions, user);
    return entry.tool().choices(permissions, user).map(all -> all.all(tool)).orElse(tool);
  }

  /**
   * Returns what {@link #offered} returns, in the form for a model whose system prompt we write.
   *
   * @param max how many tools the model accepts
   */
  public OfferedTools forModel(Permissions permissions, ToolUser user, int max) {
    var tools = ofUse(permissions, user).toList();
    return OfferedTools.of(selection.within(max, tools, user.agent()), permissions, user);
  }

  /**
   * Returns the names of the tools for sessions whose loop runs elsewhere: of those that {@link
   * #usable} returns, the ones that a rule allows by name, and {@code always}.
   */
  public List<String> namesOutside(
      Permissions permissions, String agent, Collection<String> always) {
    return allowed(permissions, agent)
        .filter(entry -> always.contains(entry.name()) || entry.isNamedBy(permissions))
        .map(RegisteredTool::name)
        .toList();
  }

  /** Returns the names of the tools that {@link #offered} returns. */
  public List<String> names(Permissions permissions, ToolUser user) {
    return ofUse(permissions, user).map(RegisteredTool::name).toList();
  }

  /**
   * Returns the names of the tools of which a session of this agent can make some call, sorted.
   * Reads no files.
   */
  public List<String> usable(Permissions permissions, String agent) {
    return allowed(permissions, agent).map(RegisteredTool::name).toList();
  }

  /** Returns the names of all tools, also of those that are switched off. */
  public List<String> registered() {
    return registry().entries().stream().map(RegisteredTool::name).toList();
  }

  /** Returns whether this agent has tools of its own, which {@link #prepare} starts. */
  public boolean hasOwn(String agent) {
    return sources.stream().anyMatch(source -> source.hasOwn(agent));
  }

  /** Prepares the tools that only this agent has; may block and may be interrupted. */
  public void prepare(String agent) {
    sources.forEach(source -> source.prepare(agent));
  }

  /** Returns the name of the tool that a model calls by this name, which may be another one. */
  public Optional<String> nameOf(String called) {
    return registry().find(called).map(RegisteredTool::name);
  }

  /** Finds a tool by name, ignoring case. */
  public Optional<Tool> find(String name) {
    return registry().find(name).map(RegisteredTool::tool);
  }

  /**
   * Runs one call. An unknown tool, invalid arguments, a missing permission and an exception of the
   * tool become error results that explain how to correct the call. Only a lost connection to our
   * own database is thrown: the call may have been committed, and a model that reads an error would
   * repeat it. The run then ends, and the next run finds out.
   */
  public ToolOutcome call(Content.ToolCall call, ToolContext context, Permissions permissions) {
    return call(call, context, permissions, _ -> true);
  }

  /**
   * Runs a call of a caller that has only some of the tools.
   *
   * @param has whether the caller has the tool with this name; the others do not exist for it
   */
  public ToolOutcome call(
      Content.ToolCall call, ToolContext context, Permissions permissions, Predicate<String> has) {
    return registry()
        .find(call.name())
        .filter(entry -> entry.tool().isOf(context.agent()) && has.test(entry.name()))
        .map(entry -> new CheckedCall(entry, context.with(permissions)).run(call.arguments()))
        .orElseGet(() -> unknown(call.name(), permissions, context.user(), has));
  }

  /**
   * A call that may be made.
   *
   * @param arguments with the names of the tool's schema
   */
  public record ApprovedCall(Tool tool, ObjectNode arguments) {}

  /**
   * Checks a call without making it, as far as that is possible: file tools, for example, check the
   * permission for a path when they open it. Empty for a call that {@link #call} answers with an
   * error.
   */
  public Optional<ApprovedCall> approved(
      Content.ToolCall call, ToolContext context, Permissions permissions) {
    return registry()
        .find(call.name())
        .filter(entry -> entry.tool().isOf(context.agent()))
        .flatMap(entry ->
            new CheckedCall(entry, context.with(permissions))
                .approved(call.arguments())
                .map(arguments -> new ApprovedCall(entry.tool(), arguments)));
  }

  private ToolOutcome unknown(
      String name, Permissions permissions, ToolUser user, Predicate<String> has) {
    var reason =
        sources.stream()
            .flatMap(source -> source.whyAbsent(name, user.agent()).stream())
            .findFirst();
    if (reason.isPresent()) {
      return ToolOutcome.error(reason.get());
    }
    var known =
        ofUse(permissions, user)
            .map(RegisteredTool::name)
            .filter(has)
            .collect(Collectors.joining(", "));
    return ToolOutcome.error(
        "There is no tool named '%s'. Known tools: %s."
            .formatted(
                TextCut.withEllipsis(name, MAX_QUOTED_CHARS), known.isEmpty() ? "none" : known));
  }

  private Stream<RegisteredTool> allowed(Permissions permissions, String agent) {
    return registry().entries().stream()
        .filter(entry -> entry.tool().isOf(agent))
        .filter(entry -> entry.denial(permissions).isEmpty())
        .filter(entry -> entry.tool().isOffered() && entry.tool().isUsable(permissions));
  }

  private Stream<RegisteredTool> ofUse(Permissions permissions, ToolUser user) {
    return allowed(permissions, user.agent())
        .filter(entry -> entry.tool().isOfUse(permissions, user));
  }

  /**
   * Rebuilds the registry if a source returned another list. Two threads may do so at the same time
   * without harm.
   */
  private ToolRegistry registry() {
    var current = registry;
    var lists = sources.stream().map(ToolSource::tools).toList();
    if (current.isBuiltFrom(lists)) {
      return current;
    }
    var rebuilt = current.with(lists);
    registry = rebuilt;
    return rebuilt;
  }
}
