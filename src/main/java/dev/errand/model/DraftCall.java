package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.TextCut;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The part of a tool call that has arrived. */
final class DraftCall {

  /** No tool has a longer name, and no provider gives longer ids. */
  private static final int MAX_NAME_CHARS = 200;

  /** No tool has this name, so the result of the call says which tools there are. */
  private static final String UNNAMED = "(no name)";

  private String id = "";
  private String name = "";
  private final StringBuilder written = new StringBuilder();
  private String last = "";
  private boolean repeats = true;
  private JsonNode arguments = MissingNode.getInstance();
  private final ObjectNode kept = JsonNodeFactory.instance.objectNode();

  /** Returns whether the call has this id. */
  boolean isOf(String given) {
    return !given.isEmpty() && given.equals(id);
  }

  /**
   * Returns whether a part of the same index is the beginning of another call. Many servers give
   * all calls the same index, and some no ids or a new one for each part.
   */
  boolean isFollowedBy(String otherId, String otherName, JsonNode more) {
    if (otherName.isEmpty() || isOf(otherId)) {
      return false;
    }
    var isRenamed = !otherName.equals(name);
    if (!otherId.isEmpty() && !id.isEmpty()) {
      return isRenamed || written.isEmpty() || isObject();
    }
    var hasMore = more.isTextual() ? !more.textValue().isBlank() : !more.isEmpty();
    return (isWhole() && hasMore) || (isRenamed && (id.isEmpty() || !written.isEmpty()));
  }

  /** The first id counts: some servers make a new one for each part. */
  void identify(String given) {
    id = id.isEmpty() ? given : id;
  }

  /** Names are repeated, completed and, rarely, continued by later parts. */
  void call(String part) {
    if (part.startsWith(name)) {
      name = part;
    } else if (!name.endsWith(part)) {
      name += part;
    }
  }

  /** Adds a part of the text of the arguments, or sets them when they are sent as a value. */
  void add(JsonNode part) {
    if (part.isTextual()) {
      repeats &= part.textValue().startsWith(last);
      last = part.textValue();
      written.append(last);
    } else if (!part.isMissingNode() && !part.isNull()) {
      arguments = part;
    }
  }

  /** Returns whether the arguments are complete, so that a further name belongs to another call. */
  private boolean isWhole() {
    return !arguments.isEmpty() || (written.length() > 2 && isObject());
  }

  /** The end of an object is looked for first: this is asked for each part of a stream. */
  private boolean isObject() {
    return !written.isEmpty()
        && written.charAt(written.length() - 1) == '}'
        && CallArguments.isObject(written);
  }

  /** Returns the fields of the call that are sent back with it. */
  ObjectNode kept() {
    return kept;
  }

  /**
   * Returns the call.
   *
   * @param ids that are in use; the id of this call is added
   * @param isCut whether the answer ends in this call: its arguments may look complete although
   *     their end is missing, so they become a text, which is never executed
   */
  Content.ToolCall toolCall(Set<String> ids, boolean isCut, @Nullable JsonNode metadata) {
    var unique = id;
    if (unique.isEmpty() || unique.length() > MAX_NAME_CHARS || !ids.add(unique)) {
      unique = "call_" + UUID.randomUUID().toString().replace("-", "");
    }
    var read = CallArguments.of(sent());
    return new Content.ToolCall(
        unique,
        name.isEmpty() ? UNNAMED : TextCut.withEllipsis(name, MAX_NAME_CHARS),
        isCut && read.isObject() ? TextNode.valueOf(read.toString()) : read,
        metadata);
  }

  /**
   * A text is the newer form if both were sent: Anthropic begins with an empty object. Some servers
   * repeat with each part what they have sent before.
   */
  private JsonNode sent() {
    if (written.isEmpty()) {
      return arguments;
    }
    var isRepeated =
        repeats
            && last.length() < written.length()
            && !CallArguments.isObject(written)
            && CallArguments.isObject(last);
    return TextNode.valueOf(isRepeated ? last : written.toString());
  }
}
