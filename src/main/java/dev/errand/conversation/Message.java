package dev.errand.conversation;

import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An entry of a transcript. A tool message contains the results of all calls of the assistant
 * message before it, in the same order.
 */
public record Message(MessageRole role, MessageKind kind, List<Content> content) {

  /** About as long as a long answer. */
  private static final int MAX_WORDS = 32_000;

  /**
   * Characters that show nothing although Unicode counts them as letters or symbols: the fillers of
   * Hangul, the blank of Braille, and the character that replaces what cannot be stored.
   */
  private static final String BLANK = "\u115F\u1160\u3164\uFFA0\u2800\uFFFD";

  public Message {
    content = List.copyOf(content);
  }

  public static Message user(String text) {
    return new Message(MessageRole.USER, MessageKind.MESSAGE, List.of(new Content.Text(text)));
  }

  /** Returns a command of the user and its output. */
  public static Message command(String text) {
    return new Message(MessageRole.USER, MessageKind.COMMAND, List.of(new Content.Text(text)));
  }

  public static Message notice(String text) {
    return new Message(MessageRole.USER, MessageKind.NOTICE, List.of(new Content.Text(text)));
  }

  /** Returns a message for readers of the transcript; models do not get it. */
  public static Message system(String text) {
    return new Message(MessageRole.SYSTEM, MessageKind.NOTICE, List.of(new Content.Text(text)));
  }

  /**
   * Returns a summary of older messages, for readers of the transcript; it is sent in their place.
   */
  public static Message summary(String text) {
    return new Message(MessageRole.SYSTEM, MessageKind.SUMMARY, List.of(new Content.Text(text)));
  }

  public static Message assistant(List<Content> content) {
    return new Message(MessageRole.ASSISTANT, MessageKind.MESSAGE, content);
  }

  public static Message tool(List<Content.ToolResult> results) {
    return new Message(MessageRole.TOOL, MessageKind.MESSAGE, List.copyOf(results));
  }

  /** Returns the texts of this message, joined with line breaks; empty if it has none. */
  public String text() {
    if (content.size() == 1 && content.getFirst() instanceof Content.Text only) {
      return only.text();
    }
    return content.stream()
        .filter(Content.Text.class::isInstance)
        .map(part -> ((Content.Text) part).text())
        .collect(Collectors.joining("\n"));
  }

  /** Returns whether the text of this message has a visible character. */
  public boolean hasWords() {
    return text().codePoints().anyMatch(Message::isVisible);
  }

  private static boolean isVisible(int character) {
    return switch (Character.getType(character)) {
      case Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.NON_SPACING_MARK,
          Character.ENCLOSING_MARK ->
          false;
      default -> BLANK.indexOf(character) < 0;
    };
  }

  /**
   * Returns the texts of messages that have words, with an empty line between them; a text that
   * repeats another one is left out, and so are the oldest ones of more than {@link #MAX_WORDS}
   * characters. Empty when no message has words.
   */
  public static String words(List<Message> messages) {
    var kept = new ArrayDeque<String>();
    var left = MAX_WORDS;
    for (var message : messages.reversed()) {
      var text = message.text().strip();
      if (!message.hasWords() || kept.contains(text)) {
        continue;
      }
      left -= text.length();
      if (left < 0 && !kept.isEmpty()) {
        break;
      }
      kept.addFirst(text);
    }
    return String.join("\n\n", kept);
  }

  /**
   * Returns whether the text of this message ends at the token limit or where its provider stopped
   * it.
   */
  public boolean isCut() {
    return content.stream().anyMatch(part -> part instanceof Content.Text text && text.cut());
  }

  /** Returns the tool calls of this message, in the order of the model. */
  public List<Content.ToolCall> toolCalls() {
    return content.stream()
        .filter(Content.ToolCall.class::isInstance)
        .map(Content.ToolCall.class::cast)
        .toList();
  }
}
