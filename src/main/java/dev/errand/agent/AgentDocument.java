package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import dev.errand.markdown.FrontMatter;
import dev.errand.markdown.MarkdownText;
import dev.errand.markdown.YamlField;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * The content of a file in the directory of agents. Collections of agents contain other files, too.
 */
sealed interface AgentDocument {

  /** Keys of commands, of pages and of rules for editors, which have no name. */
  List<String> OTHERS =
      List.of("argument-hint", "allowed-tools", "title", "layout", "globs", "alwaysApply");

  Pattern COMMANDS = Pattern.compile("(?i)(?:.*/)?commands?/.+");

  /** In a file that cannot be parsed. */
  Pattern NAME = Pattern.compile("(?im)^\\s*[\"']?name[\"']?\\s*:\\s*[\"']?([^\"'#\\n]+)");

  /** Returns the file, relative to the directory of agents. */
  String file();

  /** Returns the names that the agent of the file may have; empty if it defines none. */
  Set<String> names();

  /** A file that should define an agent. */
  record Definition(FrontMatter matter) implements AgentDocument {

    @Override
    public String file() {
      return matter.file();
    }

    @Override
    public Set<String> names() {
      return Set.of(AgentName.in(matter.fields()).orElseGet(() -> AgentName.ofFile(file())));
    }
  }

  /** A file that cannot be read. */
  record Unreadable(BrokenFile fault, Set<String> names) implements AgentDocument {

    @Override
    public String file() {
      return fault.file();
    }
  }

  /**
   * A file that is no agent.
   *
   * @param why for the operator
   */
  record Other(String file, String why) implements AgentDocument {

    @Override
    public Set<String> names() {
      return Set.of();
    }
  }

  /**
   * @param file the name of the file in messages
   */
  static AgentDocument read(String file, Path path) {
    if (path.endsWith("SKILL.md")) {
      return new Other(file, "is a skill and no agent");
    }
    var beginning = "";
    try {
      beginning = MarkdownText.beginning(file, path);
      if (!FrontMatter.begins(beginning)) {
        return new Other(file, "has no front matter and is no agent");
      }
      var text = MarkdownText.read(file, path);
      var matter = FrontMatter.of(file, text, AgentDocument::isKnown);
      return other(matter)
          .<AgentDocument>map(why -> new Other(file, why))
          .orElseGet(() -> new Definition(matter));
    } catch (BrokenFile fault) {
      return new Unreadable(fault, names(file, beginning));
    }
  }

  private static boolean isKnown(String key) {
    return AgentFileKey.of(key).isPresent() || UnsupportedKeys.restricts(key);
  }

  private static Optional<String> other(FrontMatter matter) {
    var off = matter.fields().stream().filter(AgentDocument::isOff).findFirst();
    if (off.isPresent()) {
      return Optional.of("is switched off by '" + off.get().key() + "'");
    }
    if (has(matter, AgentFileKey.NAME)) {
      return Optional.empty();
    }
    if (COMMANDS.matcher(matter.file()).matches()) {
      return Optional.of("has no name, is in a folder of commands, and is no agent");
    }
    var foreign =
        matter.fields().stream()
            .map(YamlField::key)
            .filter(key -> OTHERS.stream().anyMatch(other -> AgentFileKey.same(other, key)))
            .findFirst();
    if (foreign.isPresent()) {
      return Optional.of("has no name, but '" + foreign.get() + "', and is no agent");
    }
    return matter.fields().isEmpty()
            || matter.fields().stream().anyMatch(field -> isKnown(field.key()))
        ? Optional.empty()
        : Optional.of("has no key of an agent and is none");
  }

  private static boolean isOff(YamlField field) {
    return List.of("disable", "disabled").contains(AgentFileKey.plain(field.key()))
        && field.value() instanceof ScalarNode scalar
        && scalar.getValue().equalsIgnoreCase("true");
  }

  private static boolean has(FrontMatter matter, AgentFileKey key) {
    return matter.fields().stream()
        .anyMatch(field -> AgentFileKey.of(field.key()).equals(Optional.of(key)));
  }

  private static Set<String> names(String file, String beginning) {
    return Stream.concat(
            Stream.of(AgentName.ofFile(file)),
            NAME.matcher(beginning).results().map(found -> AgentName.of(found.group(1))))
        .collect(Collectors.toSet());
  }
}
