package dev.errand.kit;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Claude Code in a pseudo-terminal, as a person uses it, with a home, a project, a model endpoint
 * and one MCP server, {@code errand}, which the project's {@code .mcp.json} names together with a
 * key. It has no account and calls nothing else.
 */
public final class ClaudeCode implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String KEY = "sk-ant-test-for-tests-0123456789";
  private static final int KNOWN_KEY_CHARS = 20;
  private static final int MAX_LINE = 300;
  private static final Pattern CONTROL = Pattern.compile("\u001b\\[[0-9;?>]*[A-Za-z]");
  private static final Set<String> SPEAKERS = Set.of("user", "assistant");
  private static final Set<String> KEPT = Set.of("PATH", "LANG", "TMPDIR");

  private final Path home;
  private final Path project;
  private final Path screen;
  private final URI model;
  private final String key;
  private @Nullable Process terminal;

  /**
   * @param folder an empty folder for everything that the client writes
   * @param key for the server
   */
  public ClaudeCode(Path folder, URI model, URI mcpServer, String key) throws IOException {
    this.home = folder.resolve("home");
    this.project = folder.resolve("project");
    this.screen = folder.resolve("screen.txt");
    this.model = model;
    this.key = key;
    Files.createDirectories(config());
    Files.createDirectories(project);
    Files.writeString(config().resolve(".claude.json"), answeredDialogs());
    Files.writeString(config().resolve("settings.json"), settings());
    Files.writeString(project.resolve(".mcp.json"), servers(mcpServer));
  }

  private Path config() {
    return home.resolve(".claude");
  }

  private String answeredDialogs() throws IOException {
    var approved = KEY.substring(KEY.length() - KNOWN_KEY_CHARS);
    return JSON.writeValueAsString(
        Map.of(
            "hasCompletedOnboarding",
            true,
            "lastOnboardingVersion",
            NpmPackage.CLAUDE_CODE.version(),
            "theme",
            "dark",
            "customApiKeyResponses",
            Map.of("approved", List.of(approved), "rejected", List.of()),
            "projects",
            Map.of(
                project.toRealPath().toString(),
                Map.of("hasTrustDialogAccepted", true, "hasCompletedProjectOnboarding", true))));
  }

  private static String servers(URI mcpServer) throws IOException {
    var headers = Map.of("Authorization", "Bearer ${ERRAND_KEY}");
    var errand = Map.of("type", "http", "url", mcpServer.toString(), "headers", headers);
    return JSON.writeValueAsString(Map.of("mcpServers", Map.of("errand", errand)));
  }

  private static String settings() throws IOException {
    return JSON.writeValueAsString(
        Map.of(
            "enableAllProjectMcpServers",
            true,
            "permissions",
            Map.of("allow", List.of("mcp__errand__*"), "defaultMode", "default")));
  }

  /** Starts the client with these arguments; the last one may be a prompt. */
  public void open(String... arguments) throws IOException {
    var command = new ArrayList<String>();
    command.add(NpmPackage.CLAUDE_CODE.file("bin/claude.exe").toString());
    command.addAll(List.of(arguments));
    var quoted = command.stream().map(word -> "'" + word.replace("'", "'\\''") + "'").toList();
    var inTerminal = "stty rows 50 cols 160; exec " + String.join(" ", quoted);
    var builder = new ProcessBuilder("script", "-qec", inTerminal, "/dev/null");
    builder.environment().keySet().retainAll(KEPT);
    builder.environment().putAll(environment());
    terminal =
        builder
            .directory(project.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(screen.toFile()))
            .start();
  }

  private Map<String, String> environment() {
    return Map.of(
        "HOME",
        home.toString(),
        "CLAUDE_CONFIG_DIR",
        config().toString(),
        "TERM",
        "xterm-256color",
        "SHELL",
        "/bin/sh",
        "ANTHROPIC_BASE_URL",
        model.toString(),
        "ANTHROPIC_API_KEY",
        KEY,
        "ERRAND_KEY",
        key,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "1",
        "DISABLE_AUTOUPDATER",
        "1");
  }

  /** Types a command. The enter key comes alone, because a text with it is taken for pasted. */
  public void type(String line) throws IOException {
    var keyboard = Objects.requireNonNull(terminal).getOutputStream();
    keyboard.write(line.getBytes(StandardCharsets.UTF_8));
    keyboard.flush();
    await("the line is on the screen").until(() -> isShown(line));
    keyboard.write('\r');
    keyboard.flush();
  }

  /** Whether a text was written to the terminal, on one line or several. */
  public boolean isShown(String text) throws IOException {
    return withoutSpace(screen()).contains(withoutSpace(text));
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s", "");
  }

  /** Kills the client and its terminal with SIGKILL. */
  public void kill() throws InterruptedException {
    var running = Objects.requireNonNull(terminal);
    running.descendants().forEach(ProcessHandle::destroyForcibly);
    running.destroyForcibly().waitFor();
  }

  /** Everything that was written to the terminal so far, without its control sequences. */
  public String screen() throws IOException {
    return CONTROL.matcher(Files.readString(screen, StandardCharsets.UTF_8)).replaceAll("");
  }

  /** Whether the client has given up to reconnect to the server. */
  public boolean hasGivenUp() throws IOException {
    return isShown("MCP server \"errand\" disconnected");
  }

  /** The client's own record of the conversation, one line a message; empty before the first. */
  public List<String> transcript() throws IOException {
    try (var files = Files.walk(Files.createDirectories(config().resolve("projects")))) {
      var lines = new ArrayList<String>();
      for (var file : files.filter(name -> name.toString().endsWith(".jsonl")).toList()) {
        for (var line : Files.readAllLines(file)) {
          var entry = JSON.readTree(line);
          if (SPEAKERS.contains(entry.path("type").asText())) {
            lines.add(line(entry));
          }
        }
      }
      return lines;
    }
  }

  private static String line(JsonNode entry) {
    var message = entry.path("message");
    var text = new StringBuilder(message.path("content").asText());
    for (var block : message.path("content")) {
      text.append(block.path("text").asText());
      text.append(block.has("input") ? block.path("name").asText() + block.path("input") : "");
      block.path("content").forEach(part -> text.append(part.path("text").asText()));
    }
    return "%s  %-9s  %s"
        .formatted(entry.path("timestamp").asText(), message.path("role").asText(), oneLine(text));
  }

  private static String oneLine(CharSequence text) {
    var line = text.toString().replaceAll("\\s+", " ");
    return line.length() <= MAX_LINE ? line : line.substring(0, MAX_LINE) + " …";
  }

  @Override
  public void close() throws InterruptedException {
    if (terminal != null) {
      kill();
    }
  }
}
