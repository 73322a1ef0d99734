package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.permission.Permissions;
import dev.errand.permission.Permissions.Denial;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * Tools by name, ignoring case, with the validators of their arguments. Contains our own tools and
 * the tools that the sources had when it was built. A tool of a source cannot replace one of our
 * own.
 */
final class ToolRegistry {

  private static final Logger LOG = Logger.getLogger(ToolRegistry.class);

  /**
   * @param general the description for callers without one of their own, as models get it
   * @param permissions the names that permission rules use for the tool
   * @param check returns what is wrong with the arguments
   */
  record RegisteredTool(
      String name,
      Tool tool,
      ToolDefinition general,
      List<String> permissions,
      Function<ObjectNode, List<FieldProblem>> check,
      boolean own) {

    /** Returns the definition for a caller as models get it, without {@link Tool#choices}. */
    ToolDefinition definition(Permissions permissions, ToolUser user) {
      return tool.definitionFor(permissions, user).map(ToolRegistry::offered).orElse(general);
    }

    /** Returns why these permissions allow no call of the tool; empty if they may allow one. */
    Optional<String> denial(Permissions permissions) {
      return permissions
          .denialOfAll(permissions())
          .map(Denial::reason)
          .or(() ->
              tool.needsGrant() && !permissions.grant(name)
                  ? Optional.of("no rule allows it by its name")
                  : Optional.empty());
    }

    /** Returns whether a rule allows the tool, or all tools of its server, by name. */
    boolean isNamedBy(Permissions permissions) {
      return permissions.grant(name) || tool.grants().stream().anyMatch(permissions::grant);
    }
  }

  private final SortedMap<String, RegisteredTool> entries =
      new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final SortedMap<String, String> aliases = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final List<List<Tool>> lists;

  private ToolRegistry(List<List<Tool>> lists) {
    this.lists = lists;
  }

  /**
   * @throws IllegalStateException two tools have the same name
   */
  static ToolRegistry of(List<Tool> own) {
    var registry = new ToolRegistry(List.of());
    for (var tool : own) {
      var definition = tool.definition();
      var check = new ArgumentCheck(definition.parameters());
      var entry =
          new RegisteredTool(
              definition.name(),
              tool,
              offered(definition),
              tool.permissions(),
              check::problems,
              true);
      if (registry.entries.put(entry.name(), entry) != null) {
        throw new IllegalStateException("Two tools are named " + entry.name());
      }
      tool.otherNames().forEach(alias -> registry.aliases.put(alias, entry.name()));
    }
    return registry;
  }

  /** Returns a registry with our own tools and those of the sources. */
  ToolRegistry with(List<List<Tool>> sources) {
    var registry = new ToolRegistry(sources);
    entries.values().stream()
        .filter(RegisteredTool::own)
        .forEach(entry -> registry.entries.put(entry.name(), entry));
    registry.aliases.putAll(aliases);
    sources.forEach(tools -> tools.forEach(registry::add));
    return registry;
  }

  /** Returns whether it was built from these lists. */
  boolean isBuiltFrom(List<List<Tool>> sources) {
    return lists.equals(sources);
  }

  private void add(Tool tool) {
    var definition = tool.definition();
    var check = new ThirdPartySchemaCheck(definition);
    var taken =
        entries.putIfAbsent(
            definition.name(),
            new RegisteredTool(
                definition.name(),
                tool,
                offered(definition),
                tool.permissions(),
                check::problems,
                false));
    if (taken != null) {
      LOG.warnf("Another tool is already named %s; the later one is not offered", taken.name());
    }
  }

  /**
   * Returns what the schema says of all parameters together is said of the tool, where models look.
   */
  private static ToolDefinition offered(ToolDefinition tool) {
    var schema = OfferedSchema.of(tool.parameters());
    var about = schema.remove("description");
    var description = SchemaWords.joined(tool.description(), about == null ? "" : about.asText());
    return new ToolDefinition(tool.name(), tool.title(), description, schema);
  }

  /** An alias finds its tool unless another tool has this name. */
  Optional<RegisteredTool> find(String name) {
    return Optional.ofNullable(entries.get(name))
        .or(() -> Optional.ofNullable(aliases.get(name)).map(entries::get));
  }

  /** Returns the tools, sorted by name. */
  Collection<RegisteredTool> entries() {
    return Collections.unmodifiableCollection(entries.values());
  }
}
