package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import java.util.ArrayList;
import java.util.List;

/** Collects messages about agent files for the operator, each with file and line. */
final class AgentFileDiagnostics {

  private final List<String> infos = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<BrokenFile> problems = new ArrayList<>();

  void info(String file, int line, String text) {
    infos.add(file + ":" + line + ": " + text);
  }

  void warn(String file, int line, String text) {
    warnings.add(file + ":" + line + ": " + text);
  }

  /** Adds a file that defines no agent although it should. */
  void problem(BrokenFile broken) {
    problems.add(broken);
  }

  void addAll(AgentFileDiagnostics others) {
    infos.addAll(others.infos);
    warnings.addAll(others.warnings);
    problems.addAll(others.problems);
  }

  List<String> infos() {
    return List.copyOf(infos);
  }

  List<String> warnings() {
    return List.copyOf(warnings);
  }

  List<BrokenFile> problems() {
    return List.copyOf(problems);
  }
}
