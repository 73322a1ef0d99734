package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * Tools by name, whatever the case, with the checks of their arguments. Our own tools are on it
 * from the start; those of the sources are as they were when it was made. A name of ours is never
 * given away.
 */
final class ToolRegistry {

  private static final Logger LOG = Logger.getLogger(ToolRegistry.class);

  /**
   * @param check what is wrong with some arguments
   */
  record Entry(
      String name, Tool tool, Function<ObjectNode, List<FieldProblem>> check, boolean own) {}

  private final SortedMap<String, Entry> entries = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final List<List<Tool>> lists;

  private ToolRegistry(List<List<Tool>> lists) {
    this.lists = lists;
  }

  /**
   * @throws IllegalStateException two of them have one name
   */
  static ToolRegistry of(List<Tool> own) {
    var shelf = new ToolRegistry(List.of());
    for (var tool : own) {
      var definition = tool.definition();
      var check = new ArgumentCheck(definition.parameters());
      var entry = new Entry(definition.name(), tool, check::problems, true);
      if (shelf.entries.put(entry.name(), entry) != null) {
        throw new IllegalStateException("Two tools are named " + entry.name());
      }
    }
    return shelf;
  }

  /** This one's own tools and those of the lists. */
  ToolRegistry with(List<List<Tool>> sources) {
    var shelf = new ToolRegistry(sources);
    entries.values().stream()
        .filter(Entry::own)
        .forEach(entry -> shelf.entries.put(entry.name(), entry));
    sources.forEach(tools -> tools.forEach(shelf::add));
    return shelf;
  }

  /** Whether it was made from these very lists. */
  boolean isOf(List<List<Tool>> sources) {
    return lists.equals(sources);
  }

  private void add(Tool tool) {
    var definition = tool.definition();
    var check = new ThirdPartySchemaCheck(definition);
    var taken =
        entries.putIfAbsent(
            definition.name(), new Entry(definition.name(), tool, check::problems, false));
    if (taken != null) {
      LOG.warnf("Another tool is named %s already; the later one is not offered", taken.name());
    }
  }

  Optional<Entry> find(String name) {
    return Optional.ofNullable(entries.get(name));
  }

  /** Sorted by name. */
  Collection<Entry> entries() {
    return Collections.unmodifiableCollection(entries.values());
  }
}
