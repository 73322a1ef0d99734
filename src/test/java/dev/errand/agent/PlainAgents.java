package dev.errand.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.model.LanguageModel;
import dev.errand.model.LanguageModels;
import dev.errand.model.ModelMetrics;
import dev.errand.model.ModelNames;
import dev.errand.model.ModelProvider;
import dev.errand.model.Prices;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.Tool;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.ServiceFiles;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.tool.mcp.McpConfig;
import dev.errand.tool.mcp.PlainServers;
import dev.errand.tool.skill.PlainSkills;
import dev.errand.trace.Spans;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Agents without a container, with tools that do nothing and one model provider. */
public final class PlainAgents {

  private PlainAgents() {}

  /** The built-in agents only. */
  public static Agents builtIn() {
    return in(Path.of("no such directory"));
  }

  static Agents in(Path folder) {
    return new Agents(files(folder), PlainServers.none(), new SimpleMeterRegistry());
  }

  /** Agent files of which none may be broken. */
  static Agents strict(Path folder) {
    return new Agents(
        files(new Config(folder.toString(), true, Map.of()), Map.of(), false),
        PlainServers.none(),
        new SimpleMeterRegistry());
  }

  /** The agent files of a directory, with the skills in its subdirectory {@code .skills}. */
  static AgentFiles files(Path folder) {
    return files(folder, Map.of());
  }

  /** Agent files that may define hooks; agents work in the subdirectory {@code work}. */
  static AgentFiles withHooks(Path folder) {
    return files(new Config(folder.toString(), false, Map.of()), Map.of(), true);
  }

  static AgentFiles files(Path folder, Map<String, McpConfig.Server> servers) {
    return files(folder, servers, Map.of());
  }

  static AgentFiles files(
      Path folder,
      Map<String, McpConfig.Server> servers,
      Map<String, AgentConfig.AgentSettings> settings) {
    return files(new Config(folder.toString(), false, settings), servers, false);
  }

  private static AgentFiles files(
      Config config, Map<String, McpConfig.Server> servers, boolean hooks) {
    var folder = Path.of(config.dir());
    var names =
        List.of(
            "read", "list", "grep", "write", "edit", "bash", "webfetch", "todoread", "todowrite");
    var tools = Stream.concat(names.stream(), Stream.of("task", "spawn")).<Tool>map(Idle::new);
    var models =
        new LanguageModels(
            List.of(new Offline()),
            new ModelMetrics(new SimpleMeterRegistry()),
            new Prices(Optional.empty(), Optional.empty()),
            new Spans(OpenTelemetry.noop(), true));
    var aliases = new ModelNames(models, () -> Map.of("quick", "offline:small"));
    return new AgentFiles(
        config,
        new ToolBox(tools.toList(), List.of()),
        aliases,
        PlainSkills.in(folder.resolve(".skills")),
        () -> servers,
        new WorkspaceRoots(
            new ServiceFiles(folder, Map.of(), List.of()),
            List.of(folder.resolve("work").toString()),
            folder.resolve("worktrees")),
        hooks);
  }

  private record Config(String dir, boolean strict, Map<String, AgentSettings> settings)
      implements AgentConfig {}

  private record Idle(String name) implements Tool {

    @Override
    public ToolDefinition definition() {
      return new ToolDefinition(name, "Does nothing.", ParameterSchema.object().build());
    }

    @Override
    public ToolEffect effect() {
      return ToolEffect.PURE;
    }

    @Override
    public ToolOutcome call(ObjectNode arguments, ToolContext context) {
      return ToolOutcome.ok("");
    }
  }

  private static final class Offline implements ModelProvider {

    @Override
    public String name() {
      return "offline";
    }

    @Override
    public Optional<String> problem(String model) {
      return Optional.empty();
    }

    @Override
    public LanguageModel model(String model) {
      throw new UnsupportedOperationException(model);
    }
  }
}
