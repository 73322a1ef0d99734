package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class OpenFolderTest {

  private static final int TIMES = 200;

  @TempDir Path root;

  /** {@code .git} is a file if the workspace is a work tree or a submodule. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void openingAFileAsDirectoryLeaksNoDescriptor() throws IOException {
    Files.writeString(root.resolve(".git"), "gitdir: elsewhere");
    var before = openFiles();

    for (int time = 0; time < TIMES; time++) {
      try (var folder = OpenFolder.at(root, Path.of(""))) {
        assertThatExceptionOfType(NotDirectoryException.class)
            .isThrownBy(() -> folder.folder(Path.of(".git")));
      }
    }

    assertThat(openFiles() - before).isLessThan(TIMES / 2);
  }

  private static long openFiles() throws IOException {
    try (var files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }
}
