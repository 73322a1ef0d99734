package dev.errand.hook;

import dev.errand.agent.AgentHook;
import dev.errand.agent.Agents;
import dev.errand.tool.ToolBox;
import dev.errand.tool.file.WorkspaceRoots;
import dev.errand.tool.mcp.McpServers;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.Config;
import org.jboss.logging.Logger;

/** The hooks of the configuration and those of agent files. */
@Singleton
class Hooks {

  private static final Logger LOG = Logger.getLogger(Hooks.class);

  private final Agents agents;
  private final WorkspaceRoots roots;
  private volatile List<Hook> configured = List.of();

  Hooks(Agents agents, WorkspaceRoots roots) {
    this.agents = agents;
    this.roots = roots;
  }

  /** Runs before any run can begin, because a wrong definition stops the start. */
  void load(
      @Observes @Priority(-1) StartupEvent start,
      HookConfig config,
      Config properties,
      ToolBox toolBox,
      McpServers servers) {
    try {
      HookDefinitions.refuseUnknown(properties.getPropertyNames(), System.getenv().keySet());
      use(new HookDefinitions(HookPost.EGRESS, roots).read(config));
    } catch (IllegalArgumentException wrong) {
      throw new ConfigurationException(String.valueOf(wrong.getMessage()));
    }
    configured.forEach(hook -> warnAboutUnknownTools(hook, toolBox, servers));
  }

  void use(List<Hook> hooks) {
    configured = List.copyOf(hooks);
  }

  private static void warnAboutUnknownTools(Hook hook, ToolBox toolBox, McpServers servers) {
    hook.names().stream()
        .filter(name -> !name.contains("*") && !name.startsWith("mcp__"))
        .filter(name -> !CalledTool.isName(name))
        .filter(name -> toolBox.find(name).isEmpty() && !servers.mayOffer(name))
        .forEach(name ->
            LOG.warnf(
                "errand.hooks.%s.tools names '%s', and there is no such tool; the hook is not asked about any other",
                hook.name(), name));
  }

  /** Returns the hooks that hear of this event, in the order in which they are asked. */
  List<Hook> of(HookEvent event) {
    return all().filter(hook -> hook.events().contains(event)).toList();
  }

  /** Returns the hooks of an agent's tool calls. */
  List<Hook> of(HookEvent event, String agent) {
    return all()
        .filter(hook -> hook.events().contains(event))
        .filter(hook -> hook.agent() == null || agent.equals(hook.agent()))
        .toList();
  }

  /** Returns the hooks whose events are sent from the queue. */
  List<Hook> queued() {
    return all()
        .filter(hook -> hook.events().stream().anyMatch(event -> !event.isOfTool()))
        .toList();
  }

  Optional<Hook> named(String name) {
    return all().filter(hook -> hook.name().equals(name)).findFirst();
  }

  private Stream<Hook> all() {
    return Stream.concat(configured.stream(), agents.hooks().stream().map(Hooks::hook));
  }

  private static Hook hook(AgentHook own) {
    return new Hook(
        own.name(),
        own.agent(),
        new HookTarget.ProgramTarget(List.of("/bin/sh", "-c", own.command())),
        Set.of(event(own.event())),
        own.names(),
        own.timeout(),
        false);
  }

  private static HookEvent event(AgentHook.HookedEvent event) {
    return switch (event) {
      case PRE_TOOL_USE -> HookEvent.TOOL_BEFORE;
      case POST_TOOL_USE -> HookEvent.TOOL_AFTER;
      case SUBAGENT_START -> HookEvent.TASK_STARTED;
      case SUBAGENT_STOP -> HookEvent.TASK_ENDED;
    };
  }
}
