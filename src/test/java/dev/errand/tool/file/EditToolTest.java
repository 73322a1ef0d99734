package dev.errand.tool.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.tool.ToolOutcome;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EditToolTest {

  @TempDir Path folder;
  private WorkspaceKit kit;

  @BeforeEach
  void workspace() {
    kit = new WorkspaceKit(folder);
  }

  @Test
  void singleOccurrenceIsReplaced() {
    kit.file("a.txt", "one two three");

    assertThat(edit("two", "2")).isEqualTo(ToolOutcome.ok("Edited a.txt."));
    assertThat(kit.content("a.txt")).isEqualTo("one 2 three");
  }

  @Test
  void severalOccurrencesAreAnErrorThatNamesTheLines() {
    kit.file("a.txt", "x\ny\nx y");

    assertThat(edit("x", "z"))
        .isEqualTo(
            ToolOutcome.error(
                "old_string: occurs 2 times, on lines 1, 3; include more of the surrounding text, or set replace_all"));
    assertThat(kit.content("a.txt")).isEqualTo("x\ny\nx y");
  }

  @Test
  void replaceAllReplacesEveryOccurrence() {
    kit.file("a.txt", "x\ny\nx y");
    kit.call("read", "file_path", "a.txt");

    var edit =
        kit.call(
            "edit", "file_path", "a.txt", "old_string", "x", "new_string", "", "replace_all", true);

    assertThat(edit.text()).isEqualTo("Edited a.txt in 2 places.");
    assertThat(kit.content("a.txt")).isEqualTo("\ny\n y");
  }

  @Test
  void replacementsThatMakeTheFileTooLargeAreRefusedBeforeTheyAreMade() {
    kit.file("a.txt", "a".repeat(1_000_000));
    kit.call("read", "file_path", "a.txt");
    var large = "b".repeat(3_000);

    var edit =
        kit.call(
            "edit",
            "file_path",
            "a.txt",
            "old_string",
            "a",
            "new_string",
            large,
            "replace_all",
            true);

    assertThat(edit)
        .isEqualTo(
            ToolOutcome.error(
                "new_string: the file would have 3000000000 characters after 1000000 replacements; the maximum is 5242880 bytes"));
    assertThat(kit.content("a.txt")).hasSize(1_000_000);
  }

  @Test
  void missingTextIsExplained() {
    kit.file("a.txt", "first\n    indented\nlast");

    assertThat(edit("nothing", "x").text())
        .isEqualTo(
            "old_string: was not found. Read the file again: old_string must match it exactly, including white space.");
    assertThat(edit("\tindented\nlast", "x\ny").text())
        .endsWith("Line 2 differs only in white space: copy it exactly as read shows it.");
    assertThat(edit("     1\tfirst", "x").text())
        .endsWith("Leave out the line numbers and tabs that read shows.");
    assertThat(edit("before", "first").text())
        .endsWith("The file already contains new_string: the edit may have been made before.");
  }

  @Test
  void editWithoutEffectIsAnError() {
    kit.file("a.txt", "x");

    assertThat(edit("x", "x").text())
        .isEqualTo("new_string: is the same as old_string, so nothing would change");
  }

  @Test
  void windowsLineEndsAreKept() {
    kit.file("a.txt", "one\r\ntwo\r\nthree\r\n");

    edit("one\ntwo", "1\n2");
    edit("three", "3\n4");

    assertThat(kit.content("a.txt")).isEqualTo("1\r\n2\r\n3\r\n4\r\n");
  }

  @Test
  void lineFeedStandsForEitherEndInAFileWithBoth() {
    kit.file("a.txt", "zero\none\r\ntwo\nthree\r\nfour\n");

    edit("one\ntwo", "1\n2");
    assertThat(kit.content("a.txt")).isEqualTo("zero\n1\r\n2\nthree\r\nfour\n");
    edit("\nthree\n", "\n3\n");
    assertThat(kit.content("a.txt")).isEqualTo("zero\n1\r\n2\n3\r\nfour\n");
    edit("zero\n1", "0\n1");
    assertThat(kit.content("a.txt")).isEqualTo("0\n1\r\n2\n3\r\nfour\n");
    assertThat(edit("1\nthree", "x").text()).startsWith("old_string: was not found. ");
  }

  @Test
  void everyOccurrenceKeepsItsLineEnds() {
    kit.file("a.txt", "x\r\ny\r\n-\n-\r\nx\r\ny\n");

    assertThat(edit("x\ny\n", "z\n").text())
        .startsWith("old_string: occurs 2 times, on lines 1, 5;");
    kit.call(
        "edit",
        "file_path",
        "a.txt",
        "old_string",
        "x\ny",
        "new_string",
        "1\n2",
        "replace_all",
        true);

    assertThat(kit.content("a.txt")).isEqualTo("1\r\n2\r\n-\n-\r\n1\r\n2\n");
  }

  @Test
  void byteOrderMarkIsKept() {
    kit.file("a.txt", "\uFEFFone");

    edit("one", "two");

    assertThat(kit.content("a.txt")).isEqualTo("\uFEFFtwo");
  }

  @Test
  void replacementIsLiteral() {
    kit.file("a.txt", "a.c abc");

    edit("a.c", "$1\\");

    assertThat(kit.content("a.txt")).isEqualTo("$1\\ abc");
  }

  @Test
  void tooLargeFileIsRefused() {
    kit.file("a.txt", "x".repeat(6_000_000));

    assertThat(edit("x", "y").text()).startsWith("a.txt is larger than 5 MB");
  }

  @Test
  void missingFileIsAnErrorThatNamesWrite() {
    assertThat(edit("x", "y").text()).isEqualTo("a.txt does not exist; use write to create it");
  }

  private ToolOutcome.Done edit(String oldText, String newText) {
    kit.call("read", "file_path", "a.txt");
    return kit.call("edit", "file_path", "a.txt", "old_string", oldText, "new_string", newText);
  }
}
