package dev.errand.tool.file;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.kit.Rare;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Directories that are replaced by links while a file tool works in them. */
class LinkRaceTest {

  private static final String SECRET = "the neighbour's secret";
  private static final int ATTEMPTS = Rare.ALSO ? 400 : 200;

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspaceAndItsNeighbour() throws IOException {
    kit = new WorkspaceKit(Files.createDirectory(folder.resolve("workspace")));
    Files.createDirectory(folder.resolve("workspace-evil"));
    Files.writeString(folder.resolve("workspace-evil/secret.txt"), SECRET);
    kit.file("a/inside.txt", "inside");
  }

  @Test
  void directoryReplacedByALinkAfterTheCheckIsNotFollowed() throws IOException {
    var workspace = Workspace.at(kit.root(), WorkspaceKit.NO_RULES);
    var checked = workspace.findFile("a/inside.txt");
    Files.delete(kit.root().resolve("a/inside.txt"));
    Files.delete(kit.root().resolve("a"));
    Files.writeString(folder.resolve("workspace-evil/inside.txt"), SECRET);
    kit.link("a", "../workspace-evil");

    assertThatThrownBy(() -> workspace.openFile(checked)).isInstanceOf(IOException.class);
    var replacer = new FileReplacer(workspace, kit.memory(), kit.context());
    assertThatThrownBy(() -> replacer.replace(checked, _ -> rewritten("x")))
        .isInstanceOf(IOException.class);
    assertThat(folder.resolve("workspace-evil/inside.txt")).hasContent(SECRET);
  }

  /** Another session whose workspace is the directory above can replace it. */
  @Test
  void workspaceReplacedByALinkIsNotFollowed() throws IOException {
    var workspace = Workspace.at(kit.root(), WorkspaceKit.NO_RULES);
    var checked = workspace.findFile("a/inside.txt");
    Files.createDirectory(folder.resolve("workspace-evil/a"));
    Files.writeString(folder.resolve("workspace-evil/a/inside.txt"), SECRET);
    Files.move(kit.root(), folder.resolve("moved"));
    Files.createSymbolicLink(kit.root(), folder.resolve("workspace-evil"));

    assertThatThrownBy(() -> workspace.openFile(checked)).isInstanceOf(IOException.class);
    var replacer = new FileReplacer(workspace, kit.memory(), kit.context());
    assertThatThrownBy(() -> replacer.replace(checked, _ -> rewritten("x")))
        .isInstanceOf(IOException.class);
    assertThat(folder.resolve("workspace-evil/a/inside.txt")).hasContent(SECRET);
  }

  @Test
  @Timeout(120)
  void concurrentReplacementOfDirectoriesByLinksIsHarmless() throws Exception {
    Files.writeString(folder.resolve("workspace-evil/inside.txt"), SECRET);
    var over = new AtomicBoolean();
    var swaps = new AtomicInteger();
    var swapper =
        Thread.ofPlatform()
            .start(() -> {
              while (!over.get()) {
                swapFolderAndLink(swaps.incrementAndGet());
              }
            });

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) { // six calls each
      assertThat(kit.call("read", "file_path", "a/inside.txt").text()).doesNotContain(SECRET);
      assertThat(kit.call("list", "path", "a").text()).doesNotContain("secret.txt");
      assertThat(kit.call("grep", "pattern", "neighbour").text()).doesNotContain("inside.txt");
      kit.call("write", "file_path", "a/inside.txt", "content", "inside");
      kit.call("write", "file_path", "a/new/" + attempt % 100 + ".txt", "content", "inside");
      kit.call("edit", "file_path", "a/inside.txt", "old_string", "s", "new_string", "S");
    }
    over.set(true);
    swapper.join();

    assertThat(swaps).hasValueGreaterThan(100);
    assertThat(folder.resolve("workspace-evil/inside.txt")).hasContent(SECRET);
    assertThat(folder.resolve("workspace-evil").toFile().list()).hasSize(2);
  }

  /** Replaces the directory by a link that leads outside, for a moment. */
  private void swapFolderAndLink(int swap) {
    var name = kit.root().resolve("a");
    tryTo(() -> Files.move(name, folder.resolve("folder-" + swap)));
    tryTo(() -> Files.createSymbolicLink(name, Path.of("../workspace-evil")));
    tryTo(() -> Files.move(name, folder.resolve("link-" + swap)));
    tryTo(() -> Files.createDirectory(name));
    tryTo(() -> Files.writeString(name.resolve("inside.txt"), "inside", CREATE_NEW));
  }

  private static void tryTo(Callable<Path> step) {
    try {
      step.call();
    } catch (Exception lostThisRound) {
      assertThat(lostThisRound)
          .isInstanceOf(FileSystemException.class); // a concurrent write was faster
    }
  }

  private static FileReplacer.Rewritten rewritten(String content) {
    return new FileReplacer.Rewritten(content.getBytes(StandardCharsets.UTF_8), "done");
  }
}
