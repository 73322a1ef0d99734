package demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Claude Code in a pseudo-terminal, with a home of its own, without an account, with a scripted
 * model. It is installed from the npm registry.
 */
final class ClaudeCode implements McpClient {

  private static final String PACKAGE = "@anthropic-ai/claude-code";
  private static final String VERSION = "2.1.332";
  private static final Path FOLDER = Path.of("target/npm/claude_code", VERSION).toAbsolutePath();
  private static final String KEY = "sk-ant-demo-for-demos-0123456789";
  private static final int KNOWN_KEY_CHARS = 20;

  private final Path program;
  private final Path home;
  private final Path project;
  private final String model;
  private Process terminal;

  private ClaudeCode(Path program, Path folder, String model, String server) throws IOException {
    this.program = program;
    this.home = Files.createDirectories(folder.resolve("client"));
    this.project = Files.createDirectories(folder.resolve("project")).toRealPath();
    this.model = model;
    var json = new ObjectMapper();
    var approved = List.of(KEY.substring(KEY.length() - KNOWN_KEY_CHARS));
    json.writeValue(
        home.resolve(".claude.json").toFile(),
        Map.of(
            "hasCompletedOnboarding",
            true,
            "lastOnboardingVersion",
            VERSION,
            "theme",
            "dark",
            "customApiKeyResponses",
            Map.of("approved", approved, "rejected", List.of()),
            "projects",
            Map.of(project.toString(), Map.of("hasTrustDialogAccepted", true)),
            "mcpServers",
            Map.of("errand", Map.of("type", "http", "url", server))));
    json.writeValue(
        home.resolve("settings.json").toFile(),
        Map.of(
            "permissions", Map.of("allow", List.of("mcp__errand__*"), "defaultMode", "default")));
  }

  /** Empty when npm is missing, or the registry, or a pseudo-terminal. */
  static Optional<McpClient> install(Screen screen, Path folder, String model, String server)
      throws IOException, InterruptedException {
    var program = FOLDER.resolve("node_modules/" + PACKAGE + "/bin/claude.exe");
    var installed = FOLDER.resolve("installed");
    if (!Files.exists(installed)) {
      screen.line("client", "npm installs " + PACKAGE + " " + VERSION + " in " + FOLDER);
      Files.createDirectories(FOLDER);
      var install = program.getParent().getParent().resolve("install.cjs").toString();
      if (!runs(
              "npm", "install", "--no-audit", "--no-fund", "--prefix", ".", PACKAGE + "@" + VERSION)
          || !runs("node", install)) {
        return Optional.empty();
      }
      Files.createFile(installed);
    }
    if (!runs("script", "--version")) {
      return Optional.empty();
    }
    return Optional.of(new ClaudeCode(program, folder, model, server));
  }

  private static boolean runs(String... command) throws IOException, InterruptedException {
    var log = new File(FOLDER.toFile(), "npm.log");
    var program =
        new ProcessBuilder(command)
            .directory(FOLDER.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
    try {
      var process = program.start();
      return process.waitFor(5, TimeUnit.MINUTES) && process.exitValue() == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  @Override
  public String name() {
    return "Claude Code " + VERSION;
  }

  @Override
  public void open() throws IOException {
    var argument = terminal == null ? "'Count the words of each chapter.'" : "--continue";
    var inTerminal = "stty rows 50 cols 160; exec '" + program + "' " + argument;
    var builder = new ProcessBuilder("script", "-qec", inTerminal, "/dev/null");
    builder.environment().keySet().retainAll(Set.of("PATH", "LANG", "TMPDIR"));
    builder
        .environment()
        .putAll(
            Map.of(
                "HOME",
                home.toString(),
                "CLAUDE_CONFIG_DIR",
                home.toString(),
                "TERM",
                "xterm-256color",
                "ANTHROPIC_BASE_URL",
                model,
                "ANTHROPIC_API_KEY",
                KEY,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                "1",
                "DISABLE_AUTOUPDATER",
                "1"));
    terminal =
        builder
            .directory(project.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("screen.txt").toFile()))
            .start();
  }

  @Override
  public void kill() throws InterruptedException {
    if (terminal != null) {
      terminal.descendants().forEach(ProcessHandle::destroyForcibly);
      terminal.destroyForcibly().waitFor();
    }
  }
}
