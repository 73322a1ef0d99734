package dev.errand.worktree;

import dev.errand.tool.file.FileRules;
import dev.errand.tool.shell.HelperPrograms;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes folders of copies with the programs of the system, which also delete what is deeper than
 * the longest path, and follow no link.
 */
@Singleton
class Folders {

  private final HelperPrograms programs;

  Folders(FileRules rules) {
    programs = new HelperPrograms(rules::mayBeWorkspace, System.getenv().getOrDefault("PATH", ""));
  }

  /**
   * Deletes a folder, if it exists, also one whose directories cannot be read any more.
   *
   * @throws IOException something is left
   */
  void delete(Path folder) throws IOException {
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      run("chmod", "-R", "u+rwX", folder.toString());
      run("rm", "-rf", "--", folder.toString());
    }
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(folder + " could not be deleted");
    }
  }

  private void run(String program, String... arguments) throws IOException {
    var line = new ArrayList<>(List.of(programs.find(program)));
    line.addAll(List.of(arguments));
    var process =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start();
    try {
      process.waitFor();
    } catch (InterruptedException stopped) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("the deletion was interrupted", stopped);
    }
  }
}
