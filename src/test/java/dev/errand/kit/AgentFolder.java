package dev.errand.kit;

import static dev.errand.kit.Http.given;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The folder of agent files that the tested service reads. A test that writes to it clears it. */
@ApplicationScoped
public class AgentFolder {

  private final Path folder;

  AgentFolder(@ConfigProperty(name = "errand.agents.dir") String folder) {
    this.folder = Path.of(folder);
  }

  static String create() {
    try {
      return Files.createTempDirectory("errand-agents").toString();
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  /**
   * Defines an agent with these lines of front frontMatter and a prompt that begins with its name,
   * and reloads the agents.
   */
  public void define(String name, String... lines) {
    var frontMatter = String.join("\n", lines);
    write(
        name + ".md",
        "---\nname: %s\ndescription: Test agent.\n%s\n---\nI am %s. {task_description}\n"
            .formatted(name, frontMatter, name));
    reload().then().statusCode(200);
  }

  public void write(String file, String text) {
    try {
      Files.createDirectories(folder.resolve(file).getParent());
      Files.writeString(folder.resolve(file), text);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  public HttpAnswer reload() {
    return given().post("/v1/agents/reload");
  }

  /** Removes all files and reloads, so that only the built-in agents are left. */
  public void clear() {
    try (var files = Files.walk(folder)) {
      for (var file : files.skip(1).sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
    reload().then().statusCode(200);
  }
}
