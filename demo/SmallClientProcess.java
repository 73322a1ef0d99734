package demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** {@link SmallClient} in a process of its own. */
final class SmallClientProcess implements McpClient {

  private final Path notes;
  private final String server;
  private final McpStory story;
  private final int tasks;
  private Process process;

  SmallClientProcess(Path folder, String server, McpStory story, int tasks) {
    this.notes = folder.resolve("notes.txt");
    this.server = server;
    this.story = story;
    this.tasks = tasks;
  }

  @Override
  public String name() {
    return "a small client of MCP (npm cannot install Claude Code here)";
  }

  @Override
  public void open() throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    process =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                "demo/SmallClient.java",
                server,
                notes.toString(),
                Integer.toString(tasks))
            .redirectErrorStream(true)
            .start();
    var output = process.getInputStream();
    Thread.startVirtualThread(() -> {
      try (var lines = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
        lines.lines().forEach(this::tell);
      } catch (IOException | UncheckedIOException killed) {
        // The client was killed.
      }
    });
  }

  private void tell(String line) {
    if (line.equals("delegates")) {
      story.delegates(tasks);
    } else if (line.equals("rests")) {
      story.rests();
    } else if (line.startsWith("told ")) {
      story.isTold(line.substring("told ".length()));
    } else {
      System.err.println(line);
    }
  }

  @Override
  public void kill() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }
}
