package dev.errand.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Patches that somebody wrote to reach what they must not, and damaged ones. */
@Timeout(120)
class HostilePatchTest {

  private static final String NO_ID = "0".repeat(40);
  private static final String ID = "f2ad6c76f0115a6ba5b00456a849810e7ec0af20";

  @TempDir Path folder;
  private PatchKit kit;

  @BeforeEach
  void workspace() throws Exception {
    kit = new PatchKit(folder);
    kit.file("a.txt", "a\n");
    kit.file("dir/b.txt", "b\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../x",
        "a/../../x",
        "dir/./x",
        "/etc/passwd",
        "dir//x",
        ".git/hooks/pre-commit",
        ".GIT/config",
        "dir/.Git/config",
        ".git./config",
        ".g\u200cit/config",
        "GIT~1/config"
      })
  void pathThatIsNeverAFileOfTheWorkspaceIsRefused(String path) {
    assertRefused(adding(path, "100644"));
    assertRefused(renamed("a.txt", path));
    assertRefused(renamed(path, "c.txt"));
  }

  @Test
  void quotedPathIsCheckedAfterItIsDecoded() {
    assertRefused(
        adding("x", "100644").replace("a/x b/x", "\"a/\\056\\056/x\" \"b/\\056\\056/x\""));
    assertRefused(adding("x", "100644").replace("a/x b/x", "\"a/\\377\" \"b/\\377\""));
    assertRefused(adding("x", "100644").replace("a/x b/x", "\"a/x\\q\" \"b/x\\q\""));
  }

  @Test
  void onlyNamesOfTheHeaderCount() throws Exception {
    var patch = adding("c.txt", "100644").replace("+++ b/c.txt", "+++ b/../../evil");

    kit.apply(bytes(patch));

    assertThat(kit.tree().keySet()).containsExactly("a.txt", "c.txt", "dir/b.txt");
    assertThat(folder.resolve("evil")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"120000", "160000", "040000", "100664", "1"})
  void entryThatIsNoOrdinaryFileIsRefused(String mode) {
    assertRefused(adding("link", mode));
    assertRefused("diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode %s\n".formatted(mode));
    assertRefused(
        "diff --git a/a.txt b/a.txt\nindex %s..%s %s\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n"
            .formatted(ID, ID, mode));
  }

  @Test
  void realSymbolicLinkAndSubmoduleAreRefused() throws Exception {
    kit.copy();
    Files.createSymbolicLink(kit.inCopy("link"), Path.of("/etc/passwd"));
    assertRefused(new String(kit.patch(), StandardCharsets.UTF_8));

    Files.delete(kit.inCopy("link"));
    Files.delete(kit.inCopy("a.txt"));
    Files.createSymbolicLink(kit.inCopy("a.txt"), Path.of("dir/b.txt"));
    assertRefused(new String(kit.patch(), StandardCharsets.UTF_8));
  }

  @Test
  void linkInTheWorkspaceIsNotWrittenThrough() throws Exception {
    Files.createDirectory(folder.resolve("outside"));
    Files.writeString(folder.resolve("outside/x"), "x\n");
    Files.createSymbolicLink(kit.workspace.resolve("out"), folder.resolve("outside"));
    Files.createSymbolicLink(kit.workspace.resolve("in"), Path.of("dir"));
    Files.createSymbolicLink(kit.workspace.resolve("file"), Path.of("a.txt"));

    for (var path : new String[] {"out/x", "out/new", "in/b.txt", "in/new", "file"}) {
      assertThat(kit.apply(bytes(adding(path, "100644"))))
          .as(path)
          .isInstanceOf(PatchOutcome.NotPermitted.class);
    }
    assertThat(folder.resolve("outside").toFile().list()).containsExactly("x");
    assertThat(kit.tree().keySet()).contains("a.txt", "dir/b.txt").doesNotContain("dir/new");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".env",
        "key.pem",
        ".claude/agents/x.md",
        ".github/workflows/x.yml",
        ".ENVRC",
        ".errand/x",
        "dir",
        "a.txt/below",
        "dir/b.txt/below"
      })
  void fileThatWriteRefusesIsRefused(String path) throws Exception {
    var before = kit.tree();

    assertThat(kit.apply(bytes(adding(path, "100644"))))
        .isInstanceOf(PatchOutcome.NotPermitted.class);
    assertThat(kit.tree()).isEqualTo(before);
  }

  @Test
  void fileIsNamedOnce() {
    assertRefused(adding("c.txt", "100644") + adding("c.txt", "100644"));
    assertRefused(adding("c.txt", "100644") + renamed("a.txt", "c.txt"));
    assertRefused(renamed("a.txt", "c.txt") + renamed("a.txt", "d.txt"));
  }

  @Test
  void damagedPatchIsRefused() throws Exception {
    kit.file("data", new byte[] {0, 1, 2});
    kit.copy();
    kit.child("a.txt", "b\n");
    kit.child("data", new byte[] {0, 1, 3});
    var whole = new String(kit.patch(), StandardCharsets.ISO_8859_1);
    var before = kit.tree();
    var random = new Random(1);
    assertThat(kit.check(bytes(whole))).isInstanceOf(PatchOutcome.Applied.class);

    for (int i = 0; i < 3_000; i++) {
      var damaged = new StringBuilder(whole);
      damaged.setCharAt(random.nextInt(damaged.length()), (char) random.nextInt(256));
      if (i % 3 == 0) {
        damaged.setLength(random.nextInt(damaged.length()));
      }
      try {
        var outcome = kit.check(damaged.toString().getBytes(StandardCharsets.ISO_8859_1));
        assertThat(outcome).isNotNull();
      } catch (UnusablePatch refused) {
        assertThat(refused.getMessage()).startsWith("The patch cannot be applied: ");
      }
      assertThat(kit.tree()).isEqualTo(before);
    }
  }

  @Test
  void sizesThatAPatchClaimsAreBounded() {
    var header =
        "diff --git a/c b/c\nnew file mode 100644\nindex %s..%s\nGIT binary patch\n"
            .formatted(NO_ID, ID);
    assertRefused(header + "literal 999999999\nHcmV?d00001\n\n");
    assertRefused(header + "literal 10000000\nHcmV?d00001\n\n");
    assertRefused(header + "delta 5\nHcmV?d00001\n\n");
    assertRefused(
        "diff --git a/a.txt b/a.txt\nindex %s..%s 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,999999999 +1 @@\n-a\n"
            .formatted(ID, ID));
    assertRefused(adding("f", "100644").repeat(2_001));
  }

  @Test
  void searchInEqualLinesEnds() throws Exception {
    kit.file("same.txt", "x\n".repeat(1_000_000));
    var hunk = " x\n".repeat(50_000) + "-y\n" + " x\n".repeat(50_000);
    var patch =
        "diff --git a/same.txt b/same.txt\nindex %s..%s 100644\n--- a/same.txt\n+++ b/same.txt\n@@ -1000,100001 +1000,100000 @@\n%s"
            .formatted(ID, ID, hunk);

    assertThatThrownBy(() -> kit.check(bytes(patch)))
        .hasMessage("The patch cannot be applied: the search for its places takes too long.");
  }

  private void assertRefused(String patch) {
    var before = tree();
    assertThatThrownBy(() -> kit.apply(bytes(patch))).as(patch).isInstanceOf(UnusablePatch.class);
    assertThat(tree()).isEqualTo(before);
  }

  private Object tree() {
    try {
      return kit.tree();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private static byte[] bytes(String patch) {
    return patch.getBytes(StandardCharsets.UTF_8);
  }

  private static String adding(String path, String mode) {
    return """
    diff --git a/%1$s b/%1$s
    new file mode %2$s
    index %3$s..%4$s
    --- /dev/null
    +++ b/%1$s
    @@ -0,0 +1 @@
    +x
    """
        .formatted(path, mode, NO_ID, ID);
  }

  private static String renamed(String from, String to) {
    return """
    diff --git a/%1$s b/%2$s
    similarity index 100%%
    rename from %1$s
    rename to %2$s
    """
        .formatted(from, to);
  }
}
