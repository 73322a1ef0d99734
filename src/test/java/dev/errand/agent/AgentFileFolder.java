package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.markdown.BrokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A directory of agent files, in which most tests write one agent named {@code tester}. */
record AgentFileFolder(Path path) {

  static final String HEAD = "---\nname: tester\ndescription: Tests.\n";
  static final String BODY = "---\nYou test.\n";

  AgentFiles.LoadedAgents read() {
    return PlainAgents.files(path).read("default", AgentFiles.LoadedAgents.NOTHING);
  }

  List<String> warnings() {
    return read().diagnostics().warnings();
  }

  /** The files that define no agent, each as a sentence with its line. */
  List<String> problems() {
    return read().diagnostics().problems().stream().map(BrokenFile::sentence).toList();
  }

  /** Returns the agent of a file with these lines of front matter. */
  AgentDefinition tester(String lines) throws IOException {
    write("tester.md", HEAD + lines + (lines.isEmpty() ? "" : "\n") + BODY);
    assertThat(problems()).isEmpty();
    return read().catalog().find("tester").orElseThrow();
  }

  /** Writes an agent of this name with these lines of front matter. */
  void agent(String file, String name, String lines) throws IOException {
    write(file, "---\nname: %s\ndescription: Tests.\n%s%s".formatted(name, lines, BODY));
  }

  /** Returns the first warning about a file with this line. */
  String warning(String line) throws IOException {
    tester(line);
    return warnings().getFirst();
  }

  void write(String file, String text) throws IOException {
    Files.createDirectories(path.resolve(file).getParent());
    Files.writeString(path.resolve(file), text);
  }
}
