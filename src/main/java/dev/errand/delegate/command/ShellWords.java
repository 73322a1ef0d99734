package dev.errand.delegate.command;

import java.util.ArrayList;
import java.util.List;

/**
 * Divides a line into words like a POSIX shell: quotes, backslashes, continued lines. Nothing is
 * expanded, so {@code $} and {@code *} are plain characters. A line that is more than one simple
 * command is refused.
 */
final class ShellWords {

  private static final String OPERATORS = "|&;<>()`\n";
  private static final String ESCAPED_IN_DOUBLE_QUOTES = "$`\"\\";

  private final String line;
  private final List<String> words = new ArrayList<>();
  private StringBuilder word = new StringBuilder();
  private boolean inWord;
  private int at;

  private ShellWords(String line) {
    this.line = line;
  }

  /** The line cannot be divided; the message is a sentence for its author. */
  static final class UnreadableLine extends Exception {

    private static final long serialVersionUID = 1;

    UnreadableLine(String message) {
      super(message);
    }
  }

  /** Returns the words of the line, without their quotes. */
  static List<String> of(String line) throws UnreadableLine {
    return new ShellWords(line.strip().replace("\r\n", "\n")).divided();
  }

  private List<String> divided() throws UnreadableLine {
    while (at < line.length()) {
      var next = line.charAt(at++);
      switch (next) {
        case ' ', '\t' -> endWord();
        case '\'' -> singleQuoted();
        case '"' -> doubleQuoted();
        case '\\' -> escaped();
        default -> plain(next);
      }
    }
    endWord();
    return List.copyOf(words);
  }

  private void plain(char next) throws UnreadableLine {
    if (OPERATORS.indexOf(next) >= 0) {
      throw new UnreadableLine(
          "'%s' at character %d: this must be one simple command, without pipes, redirections, substitutions and further commands; put quotes around text that has such characters"
              .formatted(next == '\n' ? "a new line" : String.valueOf(next), at));
    }
    add(next);
  }

  private void endWord() {
    if (inWord) {
      words.add(word.toString());
      word = new StringBuilder();
      inWord = false;
    }
  }

  private void singleQuoted() throws UnreadableLine {
    var opened = at;
    inWord = true;
    var end = line.indexOf('\'', at);
    if (end < 0) {
      throw unterminated('\'', opened);
    }
    word.append(line, at, end);
    at = end + 1;
  }

  private void doubleQuoted() throws UnreadableLine {
    var opened = at;
    inWord = true;
    while (at < line.length()) {
      var next = line.charAt(at++);
      if (next == '"') {
        return;
      }
      if (next == '\\' && at < line.length()) {
        escapedInDoubleQuotes(line.charAt(at++));
      } else {
        word.append(next);
      }
    }
    throw unterminated('"', opened);
  }

  private void escapedInDoubleQuotes(char next) {
    if (next == '\n') {
      return; // the line is continued
    }
    if (ESCAPED_IN_DOUBLE_QUOTES.indexOf(next) < 0) {
      word.append('\\');
    }
    word.append(next);
  }

  private void escaped() {
    if (at == line.length()) {
      add('\\');
      return;
    }
    var next = line.charAt(at++);
    if (next != '\n') {
      add(next);
    }
  }

  private void add(char next) {
    word.append(next);
    inWord = true;
  }

  private static UnreadableLine unterminated(char quote, int opened) {
    return new UnreadableLine(
        "the quote %s at character %d is never closed; inside double quotes write \\\" for a quote"
            .formatted(quote, opened));
  }
}
