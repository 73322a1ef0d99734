package dev.errand.tool.skill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.conversation.SessionId;
import dev.errand.tool.ToolFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid and hostile skills in the file system. */
class SkillsTest {

  private static final SessionId SESSION = SessionId.next();

  @TempDir Path place;

  @Test
  void brokenSkillIsLeftOut() throws IOException {
    write("pdf/SKILL.md", text("pdf", "Reads PDF files."));
    write("none/SKILL.md", "no front matter");
    write("other/SKILL.md", text("another", "Has another name."));
    write("bare/SKILL.md", "---\nname: bare\ndescription: x\n---\n");
    write("notes.txt", "no skill");
    Files.createDirectories(skills().resolve("empty"));

    assertThat(found().all()).extracting(Skill::name).containsExactly("pdf");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\r", "\r\n"})
  void everyLineEndIsRead(String lineEnd) throws IOException {
    write("csv/SKILL.md", text("csv", "Reads tables.").replace("\n", lineEnd));
    write("pdf/SKILL.md", text("pdf", "Reads PDF files."));

    assertThat(found().all()).extracting(Skill::name).containsExactly("csv", "pdf");
  }

  @Test
  void changedSkillIsReadAgainAndAnUnchangedOneIsNot() throws IOException {
    write("pdf/SKILL.md", text("pdf", "Reads PDF files."));
    var known = found();
    var first = known.find("pdf").orElseThrow();

    assertThat(known.find("pdf").orElseThrow()).isSameAs(first);
    assertThat(known.all()).singleElement().isSameAs(first);
    write("pdf/SKILL.md", text("pdf", "Writes PDF files too."));
    assertThat(known.all()).extracting(Skill::description).containsExactly("Writes PDF files too.");
    write("pdf/SKILL.md", "broken");
    assertThat(known.all()).isEmpty();
  }

  @Test
  void skillsAreFoundIgnoringCaseAndByWords() throws IOException {
    write("pdf/SKILL.md", text("PDF", "Reads forms."));
    write("csv/SKILL.md", text("csv", "Reads tables."));

    assertThat(found().find("Pdf")).map(Skill::name).contains("pdf");
    assertThat(found().search("forms, tables and pdf"))
        .extracting(Skill::name)
        .containsExactly("pdf", "csv");
    assertThat(found().search("boats")).isEmpty();
  }

  @Test
  void loadedSkillHasItsTextAndTheNamesOfFurtherFiles() throws IOException {
    write("pdf/SKILL.md", text("pdf", "Reads PDF files."));
    write("pdf/ref/forms.md", "Forms have fields.");
    write("pdf/.secret", "no");

    assertThat(loader().load("PDF"))
        .startsWith("# Skill pdf\n\nDo it well.")
        .contains("- pdf/ref/forms.md (18 bytes)")
        .doesNotContain(".secret");
    assertThat(loader().load("pdf/ref/forms.md")).isEqualTo("Forms have fields.");
  }

  @Test
  void longTextIsCutWithARemarkBeforeTheNamesOfFurtherFiles() throws IOException {
    write("pdf/SKILL.md", text("pdf", "Reads PDF files.") + "x".repeat(100_000));
    write("pdf/long.md", "x".repeat(100_000));

    assertThat(loader().load("pdf"))
        .hasSizeLessThan(81_000)
        .contains("…\n\n(The text is cut: its first 80000 of 100012 characters are shown.)\n")
        .endsWith("- pdf/long.md (100000 bytes)");
    assertThat(loader().load("pdf/long.md"))
        .endsWith("(The text is cut: its first 80000 of 100000 characters are shown.)");
  }

  /** One ConfigMap per skill: its files are links into a directory that is a link itself. */
  @Test
  void skillMayBeAMountedConfigMap() throws IOException {
    mount(skills().resolve("pdf"), "..2026_11", text("pdf", "First."));

    assertThat(found().all()).extracting(Skill::description).containsExactly("First.");
    assertThat(loader().load("pdf")).contains("- pdf/ref/forms.md (18 bytes)").doesNotContain("..");
    assertThat(loader().load("pdf/ref/forms.md")).isEqualTo("Forms have fields.");
    assertThatThrownBy(() -> loader().load("pdf/..data/SKILL.md")).isInstanceOf(ToolFailure.class);
  }

  /** One ConfigMap for all skills: the directories of the skills are links. */
  @Test
  void oneMountedConfigMapMayContainAllSkills() throws IOException {
    write("..2026_11/pdf/SKILL.md", text("pdf", "Reads PDF files."));
    write("..2026_11/README.md", "not a skill");
    Files.createSymbolicLink(skills().resolve("..data"), Path.of("..2026_11"));
    Files.createSymbolicLink(skills().resolve("pdf"), Path.of("..data/pdf"));
    Files.createSymbolicLink(skills().resolve("README.md"), Path.of("..data/README.md"));

    assertThat(found().all()).extracting(Skill::name).containsExactly("pdf");
    assertThat(loader().load("pdf")).contains("Do it well.");
  }

  @Test
  void replacedConfigMapIsReadAgain() throws IOException {
    var mount = skills().resolve("pdf");
    mount(mount, "..2026_11", text("pdf", "First."));
    found().all();

    Files.createDirectories(mount.resolve("..2026_12"));
    Files.writeString(mount.resolve("..2026_12/SKILL.md"), text("pdf", "Second."));
    Files.createSymbolicLink(mount.resolve("..data_tmp"), Path.of("..2026_12"));
    Files.move(
        mount.resolve("..data_tmp"), mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);

    assertThat(found().find("pdf")).map(Skill::description).contains("Second.");
    assertThat(loader().load("pdf")).doesNotContain("forms.md");
  }

  @Test
  void linksToOtherDirectoriesAndToParentsAreLeftOut() throws IOException {
    Files.writeString(place.resolve("outside.txt"), "secret");
    write("pdf/SKILL.md", text("pdf", "Reads PDF files."));
    write("pdf/ref/a.md", "a");
    Files.createSymbolicLink(skills().resolve("pdf/ref/up"), Path.of(".."));
    Files.createSymbolicLink(skills().resolve("pdf/out.txt"), place.resolve("outside.txt"));
    Files.createSymbolicLink(skills().resolve("pdf/self"), Path.of("self"));
    write("csv/note.txt", "no skill");
    Files.createSymbolicLink(skills().resolve("csv/SKILL.md"), place.resolve("outside.txt"));

    assertThat(folder().files("pdf"))
        .extracting(entry -> entry.path().toString())
        .containsExactly("ref/a.md");
    assertThat(found().all()).extracting(Skill::name).containsExactly("pdf");
    assertThatThrownBy(() -> loader().load("pdf/out.txt")).isInstanceOf(ToolFailure.class);
  }

  private static void mount(Path at, String version, String skill) throws IOException {
    Files.createDirectories(at.resolve(version).resolve("ref"));
    Files.writeString(at.resolve(version).resolve("SKILL.md"), skill);
    Files.writeString(at.resolve(version).resolve("ref/forms.md"), "Forms have fields.");
    Files.createSymbolicLink(at.resolve("..data"), Path.of(version));
    Files.createSymbolicLink(at.resolve("SKILL.md"), Path.of("..data/SKILL.md"));
    Files.createSymbolicLink(at.resolve("ref"), Path.of("..data/ref"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../outside",
        "..",
        ".",
        "",
        "/",
        "pdf/../../outside.txt",
        "pdf//etc/passwd",
        "pdf/link.txt",
        "pdf/linked/outside.txt",
        "pdf/.hidden",
        "pdf/ref",
        "pdf/missing",
        "linked",
        "pdf/\0",
        "no\nsuch"
      })
  void nothingOutsideOfTheDirectoryIsRead(String key) throws IOException {
    Files.writeString(place.resolve("outside.txt"), "secret");
    write("pdf/SKILL.md", text("pdf", "Reads PDF files."));
    write("pdf/.hidden", "secret");
    write("pdf/ref/a.md", "a");
    Files.createSymbolicLink(skills().resolve("pdf/link.txt"), place.resolve("outside.txt"));
    Files.createSymbolicLink(skills().resolve("pdf/linked"), place);
    Files.createSymbolicLink(skills().resolve("linked"), skills().resolve("pdf"));

    assertThatThrownBy(() -> loader().load(key)).isInstanceOf(ToolFailure.class);
  }

  @Test
  void newVersionReplacesAndArchivesTheOldOne() throws IOException {
    var first = text("pdf", "First.");
    var second = text("pdf", "Second.");

    assertThat(writer().write("pdf", first, SESSION)).isEqualTo(SkillWriter.Written.CREATED);
    assertThat(writer().write("PDF", second.replace("name: pdf", "name: PDF"), SESSION))
        .isEqualTo(SkillWriter.Written.REPLACED);
    assertThat(writer().write("pdf", second.replace("name: pdf", "name: PDF"), SESSION))
        .isEqualTo(SkillWriter.Written.UNCHANGED);

    assertThat(found().find("pdf")).map(Skill::description).contains("Second.");
    try (var versions = Files.walk(skills().resolve(".versions"))) {
      assertThat(versions.filter(Files::isRegularFile))
          .singleElement()
          .satisfies(kept ->
              assertThat(kept)
                  .hasContent(
                      first.replace("\n---\n", "\nwritten_by_agent_in: " + SESSION + "\n---\n")));
    }
  }

  @Test
  void skillOfAnAgentIsMarked() throws IOException {
    write("csv/SKILL.md", text("csv", "Reads tables."));
    var mine = text("pdf", "Mine.");

    writer().write("pdf", mine, SESSION);

    assertThat(writer().write("pdf", mine, SessionId.next()))
        .isEqualTo(SkillWriter.Written.UNCHANGED);
    assertThat(found().find("pdf")).map(Skill::writtenIn).contains(SESSION.toString());
    assertThat(found().find("csv").orElseThrow().writtenIn()).isNull();
    assertThat(loader().load("pdf")).startsWith("# Skill pdf (written by an agent)\n");
    var forged = mine.replace("---\nname", "---\n'written_by_agent_in': me\nname");
    assertThatThrownBy(() -> writer().write("pdf", forged, SESSION))
        .hasMessageContaining("is set by the service");
  }

  @ParameterizedTest
  @ValueSource(strings = {"---", "--- \t", "---\f", "---\u2003"})
  void skillOfAnAgentIsMarkedWhateverFollowsItsFences(String fence) throws IOException {
    var text = text("pdf", "Mine.") + "---\nMore.\n";

    writer().write("pdf", text.replaceFirst("---", fence), SESSION);
    assertThat(found().find("pdf")).map(Skill::writtenIn).contains(SESSION.toString());
    writer().write("pdf", text.replaceFirst("---\nDo", fence + "\nDo"), SESSION);
    assertThat(found().find("pdf")).map(Skill::writtenIn).contains(SESSION.toString());
  }

  @Test
  void agentThatReplacesTheSkillOfAPersonIsItsWriter() throws IOException {
    write("pdf/SKILL.md", text("pdf", "Same."));

    assertThat(writer().write("pdf", text("pdf", "Same."), SESSION))
        .isEqualTo(SkillWriter.Written.REPLACED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"../evil", ".versions", "a/b", "", "x y", "/tmp/x"})
  void invalidNameIsRefused(String name) {
    assertThatThrownBy(() -> writer().write(name, text(name, "x"), SESSION))
        .isInstanceOf(ToolFailure.class);
    assertThat(skills()).doesNotExist();
  }

  @Test
  void invalidContentReplacesNothing() throws IOException {
    write("pdf/SKILL.md", text("pdf", "Good."));

    assertThatThrownBy(() -> writer().write("pdf", "nothing", SESSION))
        .hasMessageStartingWith("Nothing was written. content: SKILL.md:1: must begin with");
    assertThatThrownBy(() -> writer().write("pdf", text("other", "x"), SESSION))
        .hasMessageContaining("SKILL.md:2: 'name' must be the name of its directory");
    assertThatThrownBy(() -> writer().write("pdf", text("pdf", "x") + "x".repeat(300_000), SESSION))
        .hasMessageContaining("too large");
    assertThat(found().find("pdf")).map(Skill::description).contains("Good.");
    assertThat(skills().resolve(".versions")).doesNotExist();
  }

  @Test
  void tenantsHaveSkillsOfTheirOwn() throws IOException {
    write("a/pdf/SKILL.md", text("pdf", "Reads PDF files."));
    var folder = new SkillFolder(skills().resolve("{tenant}").toString());
    var all = new Skills(folder);

    assertThat(all.of("a").find("pdf")).isPresent();
    assertThat(all.of("b").find("pdf")).isEmpty();
    assertThat(all.all()).isEmpty();
    assertThat(new SkillLoader(all, folder).of("a").load("pdf")).contains("Do it well.");

    new SkillWriter(folder, Clock.systemUTC()).of("b").write("csv", text("csv", "x"), SESSION);

    assertThat(all.of("b").all()).extracting(Skill::name).containsExactly("csv");
    assertThat(all.of("a").all()).extracting(Skill::name).containsExactly("pdf");
  }

  @Test
  void linksAreNotFollowedWhenWriting() throws IOException {
    Files.createDirectories(skills());
    Files.createDirectory(place.resolve("elsewhere"));
    Files.createSymbolicLink(skills().resolve("pdf"), place.resolve("elsewhere"));

    assertThatThrownBy(() -> writer().write("pdf", text("pdf", "x"), SESSION))
        .isInstanceOf(IOException.class);
    assertThat(place.resolve("elsewhere")).isEmptyDirectory();
  }

  private static String text(String name, String description) {
    return "---\nname: %s\ndescription: %s\n---\nDo it well.\n".formatted(name, description);
  }

  private Path skills() {
    return place.resolve("skills");
  }

  private void write(String path, String text) throws IOException {
    Files.createDirectories(skills().resolve(path).getParent());
    Files.writeString(skills().resolve(path), text);
  }

  private SkillFolder folder() {
    return new SkillFolder(skills().toString());
  }

  private Skills found() {
    return new Skills(folder());
  }

  private SkillLoader loader() {
    return new SkillLoader(found(), folder());
  }

  private SkillWriter writer() {
    return new SkillWriter(folder(), Clock.systemUTC());
  }
}
