package dev.errand.kit;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * OpenCode without a terminal, with a home, a project, a model endpoint and one MCP server, {@code
 * errand}. It calls nothing else.
 */
public final class OpenCode implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Set<String> KEPT = Set.of("PATH", "LANG", "TMPDIR");

  private final Process process;

  /**
   * Starts a run of the client with a prompt.
   *
   * @param folder for everything that the client writes
   * @param server the URL of the MCP server
   * @param timeout how long a call of the server may be silent
   */
  public OpenCode(Path folder, URI model, URI server, Duration timeout, String prompt)
      throws IOException {
    var home = Files.createDirectories(folder.resolve("home"));
    var project = Files.createDirectories(folder.resolve("project"));
    Files.writeString(project.resolve("opencode.json"), settings(model, server, timeout));
    var program = NpmPackage.OPENCODE.file("bin/opencode.exe").toString();
    var builder =
        new ProcessBuilder(program, "run", prompt)
            .directory(project.toFile())
            .redirectErrorStream(true);
    builder.environment().keySet().retainAll(KEPT);
    builder.environment().put("HOME", home.toString());
    builder.environment().put("OPENCODE_DISABLE_AUTOUPDATE", "1");
    builder.environment().put("OPENCODE_DISABLE_MODELS_FETCH", "1");
    builder.environment().put("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1");
    builder.environment().put("OPENCODE_DISABLE_LSP_DOWNLOAD", "1");
    process = builder.start();
    process.getOutputStream().close();
  }

  private static String settings(URI model, URI server, Duration timeout) throws IOException {
    var endpoint =
        Map.of(
            "npm",
            "@ai-sdk/openai-compatible",
            "options",
            Map.of("baseURL", model.toString(), "apiKey", "sk-test"),
            "models",
            Map.of("test", Map.of("tool_call", true)));
    var errand = Map.of("type", "remote", "url", server.toString(), "timeout", timeout.toMillis());
    return JSON.writeValueAsString(
        Map.of(
            "autoupdate",
            false,
            "share",
            "disabled",
            "model",
            "scripted/test",
            "small_model",
            "scripted/test",
            "permission",
            "allow",
            "provider",
            Map.of("scripted", endpoint),
            "mcp",
            Map.of("errand", errand)));
  }

  /** Waits for the end of the run, and returns what it has printed. */
  public List<String> awaitEnd() throws IOException, InterruptedException {
    var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return printed.lines().toList();
  }

  @Override
  public void close() throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }
}
