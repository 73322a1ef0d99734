package dev.errand.agent;

import java.util.ArrayList;
import java.util.List;

/** Collects messages about agent files for the operator, each with file and line. */
final class AgentFileDiagnostics {

  private final List<String> infos = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  void info(String file, int line, String text) {
    infos.add(file + ":" + line + ": " + text);
  }

  void warn(String file, int line, String text) {
    warnings.add(file + ":" + line + ": " + text);
  }

  List<String> infos() {
    return List.copyOf(infos);
  }

  List<String> warnings() {
    return List.copyOf(warnings);
  }
}
