package dev.errand.tool;

import dev.errand.tool.ToolRegistry.RegisteredTool;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Chooses the tools for a model that accepts a limited number: our own first, then those of MCP
 * servers, in the order of their names. The log says once for each agent what is left out.
 */
final class ToolSelection {

  private static final Logger LOG = Logger.getLogger(ToolSelection.class);

  private final Map<String, Set<String>> reported = new ConcurrentHashMap<>();

  /** Returns at most {@code max} of the tools, in the same order. */
  List<RegisteredTool> within(int max, List<RegisteredTool> tools, String agent) {
    if (tools.size() <= max) {
      return tools;
    }
    var chosen =
        Stream.concat(
                tools.stream().filter(RegisteredTool::own),
                tools.stream().filter(tool -> !tool.own()))
            .limit(max)
            .map(RegisteredTool::name)
            .collect(Collectors.toSet());
    report(agent, tools, chosen);
    return tools.stream().filter(tool -> chosen.contains(tool.name())).toList();
  }

  private void report(String agent, List<RegisteredTool> tools, Set<String> chosen) {
    var leftOut =
        tools.stream().map(RegisteredTool::name).filter(name -> !chosen.contains(name)).toList();
    if (reported.computeIfAbsent(agent, _ -> ConcurrentHashMap.newKeySet()).addAll(leftOut)) {
      LOG.warnf(
          "The agent %s has %d tools, and its model or a fallback accepts %d"
              + " (errand.models.<provider>.max-tools). Left out: %s. Choose the tools of MCP"
              + " servers with their setting 'tools'.",
          agent, tools.size(), chosen.size(), String.join(", ", leftOut));
    }
  }
}
