package dev.errand.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory of agent files, in which most tests write one agent named {@code tester}. */
record AgentFileFolder(Path path) {

  static final String HEAD = "---\nname: tester\ndescription: Tests.\n";
  static final String BODY = "---\nYou test.\n";

  AgentFiles.Found read() {
    return PlainAgents.files(path).read("default");
  }

  /** Returns the agent of a file with these lines of front matter. */
  AgentDefinition tester(String lines) throws IOException {
    write("tester.md", HEAD + lines + (lines.isEmpty() ? "" : "\n") + BODY);
    return read().catalog().find("tester").orElseThrow();
  }

  /** Writes an agent of this name with these lines of front matter. */
  void agent(String file, String name, String lines) throws IOException {
    write(file, "---\nname: %s\ndescription: Tests.\n%s%s".formatted(name, lines, BODY));
  }

  /** Returns the first warning about a file with this line. */
  String warning(String line) throws IOException {
    tester(line);
    return read().warnings().getFirst();
  }

  void write(String file, String text) throws IOException {
    Files.createDirectories(path.resolve(file).getParent());
    Files.writeString(path.resolve(file), text);
  }
}
