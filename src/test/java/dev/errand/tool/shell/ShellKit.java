package dev.errand.tool.shell;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import dev.errand.setting.BoundsCheck;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolContext.ToolProgress;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.WorkspaceKit;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The tool {@code bash} in a workspace, called in the same way as by a model. */
final class ShellKit {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AtomicInteger TOKENS = new AtomicInteger();

  private final Path workspace;
  private final Map<String, String> properties = new HashMap<>();
  private List<ShellCommand> commands = List.of();
  private ToolProgress progress = ToolProgress.NONE;
  private FileRules rules = WorkspaceKit.NO_RULES;

  ShellKit(Path workspace, String mode) {
    this.workspace = workspace;
    properties.put("errand.tools.bash", mode);
  }

  ShellKit with(String property, String value) {
    properties.put("errand.tools." + property, value);
    return this;
  }

  ShellKit with(FileRules others) {
    rules = others;
    return this;
  }

  ShellKit with(ShellCommand... ours) {
    commands = List.of(ours);
    return this;
  }

  ShellKit with(ToolProgress listener) {
    progress = listener;
    return this;
  }

  ToolBox toolBox() {
    var config = config(properties);
    return new ToolBox(
        List.of(new BashTool(config, new Shell(config, new ProcessTable(), rules), commands)),
        List.of());
  }

  ToolOutcome.Done bash(String command, Object... more) {
    return (ToolOutcome.Done) call(toolBox(), command, more);
  }

  /** The same for a caller with these permissions. */
  ToolOutcome.Done bash(Permissions permissions, String command) {
    var call = new Content.ToolCall("call_1", "bash", arguments(command));
    return (ToolOutcome.Done) toolBox().call(call, context(), permissions);
  }

  ToolOutcome call(ToolBox tools, String command, Object... more) {
    var call = new Content.ToolCall("call_1", "bash", arguments(command, more));
    return tools.call(call, context(), Permissions.ALL);
  }

  ToolContext context() {
    return new ToolContext(SessionId.next(), 1, "call_1", workspace, progress);
  }

  static ObjectNode arguments(String command, Object... more) {
    var arguments = JSON.createObjectNode().put("command", command);
    for (int i = 0; i < more.length; i += 2) {
      arguments.set((String) more[i], JSON.valueToTree(more[i + 1]));
    }
    return arguments;
  }

  static ShellConfig config(Map<String, String> properties) {
    return new SmallRyeConfigBuilder()
        .addDiscoveredConverters()
        .withMapping(ShellConfig.class)
        .withCustomizers(new BoundsCheck())
        .withDefaultValues(properties)
        .build()
        .getConfigMapping(ShellConfig.class);
  }

  /** A long sleep time in seconds that no other process of this machine uses. */
  static String longSleep() {
    return "4%d.%d".formatted(ProcessHandle.current().pid(), TOKENS.incrementAndGet() + 1_000_000);
  }

  /** The number of processes that sleep for this time. */
  static long sleeping(String seconds) {
    return ProcessHandle.allProcesses()
        .map(process -> process.info().commandLine().orElse(""))
        .filter(line -> line.endsWith("sleep " + seconds))
        .count();
  }
}
