package dev.errand.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Front matter as people write it. */
class AgentFileFormsTest {

  @TempDir Path temporary;

  private AgentFileFolder folder;

  @BeforeEach
  void use() {
    folder = new AgentFileFolder(temporary);
  }

  /**
   * In the rows, {@code |} is the end of a line and {@code →} a tab; {@code ¦} is {@code |}, {@code
   * ´} a backtick.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "description: Use it: often ~ Use it: often",
        "description: Examples: <example>Context: x user: \"look\" assistant: \"ok\"</example> ~ Examples: <example>Context: x user: \"look\" assistant: \"ok\"</example>",
        "description: Builds. Examples:\\n\\n<example>\\nuser: 'go'\\n</example> ~ Builds. Examples:\\n\\n<example>\\nuser: 'go'\\n</example>",
        "description: Builds. Examples:||<example>|Context: a change|user: \"look\"|assistant: \"ok\"|</example>|color: red ~ Builds. Examples: <example> Context: a change user: \"look\" assistant: \"ok\" </example>",
        "description: Builds <example>|user: one|</example> and <example>|user: two|</example>|color: red ~ Builds <example> user: one </example> and <example> user: two </example>",
        "description:|  Expert for reviews. Context: a change|  in the code ~ Expert for reviews. Context: a change in the code",
        "description:|  Expert: reviews ~ Expert: reviews",
        "description:|  - reviews|  - builds ~ - reviews - builds",
        "description: Solves issue #12 and #13 ~ Solves issue #12 and #13",
        "description: Writes C# and F#: all of it ~ Writes C# and F#: all of it",
        "description: Reviews code # for now ~ Reviews code",
        "description: Says \"no\" in the middle ~ Says \"no\" in the middle",
        "description: \"Quoted\" at the start: yes ~ \"Quoted\" at the start: yes",
        "description: \"Use \"this\" agent\" ~ Use \"this\" agent",
        "description: \"Unbalanced: yes ~ \"Unbalanced: yes",
        "description: It's the user's choice: always ~ It's the user's choice: always",
        "description: 'Don't stop' ~ Don't stop",
        "description: * builds ~ * builds",
        "description: *important* work ~ *important* work",
        "description: @reviewer of code ~ @reviewer of code",
        "description: & more ~ & more",
        "description: &anchor of the team ~ &anchor of the team",
        "description: %d things ~ %d things",
        "description: ´code´ is read ~ ´code´ is read",
        "description: [Beta] Reviews ~ [Beta] Reviews",
        "description: [Beta] ~ [Beta]",
        "description: {draft} Reviews ~ {draft} Reviews",
        "description: !important ~ !important",
        "description: - reviews ~ - reviews",
        "description: ? asks ~ ? asks",
        "description: > 3 files ~ > 3 files",
        "description: 7 ~ 7",
        "description: yes ~ yes",
        "description: true ~ true",
        "description: 2026-01-01 ~ 2026-01-01",
        "description: ¦|  Reviews:|  code ~ Reviews: code",
        "description: ¦|Reviews all: code|and tests ~ Reviews all: code and tests",
        "description: >-|  Reviews:|  code ~ Reviews: code",
        "description: >|  Reviews|    code|tags: [a ~ Reviews code",
        "description: Reviews|  code ~ Reviews code",
        "description: Reviews|code ~ Reviews code",
        "description: Reviews||  code: all ~ Reviews code: all",
        "description: 'Reviews|  code' ~ Reviews code",
        "description:→Reviews code ~ Reviews code",
        "description: Reviews|→code: all ~ Reviews code: all",
        "Description: Use it: often ~ Use it: often",
        "DESCRIPTION : Use it: often ~ Use it: often",
        "\"description\": Use it: often ~ Use it: often",
        "description:Use it ~ Use it",
        "description: Reviews 🚀 code: all ~ Reviews 🚀 code: all",
        "description: see https://example.org/a:b#c ~ see https://example.org/a:b#c",
        "description: time: 10:30, ratio 1:2 ~ time: 10:30, ratio 1:2",
        "# a comment: here|description: Use it: often ~ Use it: often",
        "description: Reviews: all|# tools: Read|color: red ~ Reviews: all",
      })
  void descriptionIsReadAsItIsMeant(String lines, String text) throws IOException {
    folder.write("tester.md", "---\nname: tester\n" + real(lines) + "\n---\nYou test.\n");

    assertThat(folder.problems()).isEmpty();
    assertThat(folder.read().catalog().find("tester").orElseThrow().summary())
        .isEqualTo(real(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "---|name: tester|description: Tests.|---|You test.",
        "||---|name: tester|description: Tests.|---|You test.",
        "<!-- made by a tool -->|---|name: tester|description: Tests.|---|You test.",
        "<!-- made|by a tool -->||---|name: tester|description: Tests.|---|You test.",
        "# Tester|---|name: tester|description: Tests.|---|You test.",
        "---  |name: tester|description: Tests.|--- |You test.",
        "---|name: tester|description: Tests.|...|You test.",
        "---||name: tester||description: Tests.||---||You test.|",
        "---|# Tester|name: tester|description: Tests.|---|You test.",
        "---|  name: tester|  description: Tests.|---|You test.",
        "---|{name: tester, description: Tests.}|---|You test.",
        "---|{|\"name\": \"tester\",|\"description\": \"Tests.\"|}|---|You test.",
        "---|name:→tester|description:→Tests.|---|You test.",
        "---|Name: Tester|Description: Tests.|---|You test.",
        "---|description: Tests.|---|You test.",
        "---|name:|description: Tests.|model:|---|You test.",
      })
  void fileIsReadInEveryForm(String text) throws IOException {
    for (var lineEnd : new String[] {"\n", "\r\n", "\r"}) {
      folder.write("tester.md", real(text).replace("\n", lineEnd));

      assertThat(folder.problems()).isEmpty();
      assertThat(folder.read().catalog().find("tester").orElseThrow())
          .satisfies(
              agent -> assertThat(agent.summary()).isEqualTo("Tests."),
              agent -> assertThat(agent.prompt()).isEqualTo("You test."));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "UTF-8, \uFEFF",
    "UTF-16LE, \uFEFF",
    "UTF-16BE, \uFEFF",
    "UTF-8, ''",
    "UTF-16LE, ''",
    "UTF-16BE, ''"
  })
  void unicodeIsReadWithAndWithoutAByteOrderMark(String name, String mark) throws IOException {
    Files.write(
        temporary.resolve("tester.md"),
        (mark + "---\r\nname: tester\r\ndescription: Prüft: alles\r\n---\r\nYou test.\r\n")
            .getBytes(Charset.forName(name)));

    assertThat(folder.problems()).isEmpty();
    assertThat(folder.read().catalog().find("tester").orElseThrow().summary())
        .isEqualTo("Prüft: alles");
  }

  @ParameterizedTest
  @CsvSource({"ISO-8859-1, 3", "windows-1252, 3", "IBM850, 3"})
  void otherEncodingIsReportedWithItsLine(String name, int line) throws IOException {
    Files.write(
        temporary.resolve("tester.md"),
        "---\nname: tester\ndescription: Prüft.\n---\nYou test.\n".getBytes(Charset.forName(name)));

    assertThat(folder.problems())
        .containsExactly("tester.md:" + line + ": is not UTF-8; save it with that encoding");
  }

  @Test
  void documentWithoutFrontMatterIsNoProblemInAnyEncoding() throws IOException {
    Files.write(temporary.resolve("README.md"), "# Grüße\n".getBytes(StandardCharsets.ISO_8859_1));
    folder.write("GUIDE.md", "# Guide\n" + "x".repeat(300 * 1024));

    assertThat(folder.problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "Backend Developer, backend-developer",
    "API_Designer, api_designer",
    "' Data   Engineer ', data-engineer",
    "'\"Quoted Name\"', quoted-name",
    "3d-artist, 3d-artist",
    "powershell-5.1-expert, powershell-5-1-expert",
    "_docs, docs",
  })
  void nameIsReadInLowerCaseWithHyphensForSpaces(String given, String name) throws IOException {
    folder.write("a.md", "---\nname: " + given + "\ndescription: Tests.\n---\nYou test.\n");

    assertThat(folder.problems()).isEmpty();
    assertThat(folder.read().catalog().find(name)).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "reviewer.md, reviewer",
    "docs/Doc Writer.md, doc-writer",
    "planner.agent.md, planner",
    "builder.markdown, builder",
    "UPPER.MD, upper",
  })
  void fileWithoutANameHasThatOfItsFile(String file, String name) throws IOException {
    folder.write(file, "---\ndescription: Tests.\nmode: subagent\n---\nYou test.\n");

    assertThat(folder.problems()).isEmpty();
    assertThat(folder.read().catalog().find(name)).isPresent();
  }

  /** It would be lost in a text, and the agent would have all tools. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "description: \"Use this|tools: Read|color: blue\" ~ 3",
        "color: 'blue|tools: Read|more' ~ 3",
        "description: Tests: all|  tools: Read ~ 3",
        "description: Tests|  tools:Read ~ 3",
        "color: blue|  tools:Read ~ 3",
        "description: Tests|- tools: Read ~ 3",
        "description: Tests|tools = Read ~ 3",
        "description: Tests|**tools**: Read ~ 3",
        "description: Tests: all|→disallowed_tools: Bash ~ 3",
        "description:|  Tests: all|  permission: {bash: deny} ~ 4",
        "description: Tests: all| permissionMode: plan ~ 3",
        "description: Tests|  Allowed Tools: Read ~ 3",
      })
  void keyThatLimitsTheAgentIsNeverPartOfAText(String lines, int line) throws IOException {
    folder.write("tester.md", "---\n" + real(lines) + "\nname: tester\n---\nYou test.\n");

    assertThat(folder.read().catalog().find("tester")).isEmpty();
    assertThat(folder.problems())
        .singleElement()
        .asString()
        .startsWith("tester.md:" + line + ": '")
        .containsAnyOf("would be part of", "is part of the value");
  }

  private static String real(String row) {
    return row.replace('|', '\n').replace('→', '\t').replace('¦', '|').replace('´', '`');
  }
}
