package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the calls of an answer of the chat completions API: {@code [{"index": 0, "id": "call_1",
 * "function": {"name": "list", "arguments": "{}"}}]}, whole or in parts.
 */
final class OpenAiCalls {

  private static final Set<String> CALL =
      Set.of("id", "type", "index", "function", "name", "arguments");
  private static final Set<String> FUNCTION = Set.of("name", "arguments");

  private final AnswerDraft draft;

  /** The newest call of each index that the server gave. */
  private final Map<Long, DraftCall> newest = new HashMap<>();

  OpenAiCalls(AnswerDraft draft) {
    this.draft = draft;
  }

  /**
   * Reads tool calls. Without an index, each element is a call of its own, unless it continues an
   * earlier event.
   */
  void read(JsonNode parts, boolean whole) {
    if (!parts.isContainerNode() || parts.isEmpty()) {
      return;
    }
    var before = List.copyOf(draft.calls());
    var isFirst = true;
    for (var part : Lenient.list(parts)) {
      if (!part.isNull()) {
        read(part, part.has("index") || (isFirst && !whole) ? null : before);
        isFirst = false;
      }
    }
  }

  /**
   * The name and the arguments may stand in the call itself.
   *
   * @param before null to look for the call by its index, otherwise those that it may continue
   */
  private void read(JsonNode part, @Nullable List<DraftCall> before) {
    var function = part.path("function").isObject() ? part.path("function") : part;
    var id = Lenient.name(part.path("id"));
    var name = Lenient.name(function.path("name"));
    var arguments = part.isObject() ? arguments(function) : part;
    var index = Lenient.count(part.path("index"));
    var call =
        before == null
            ? newest.get(index)
            : before.stream().filter(known -> known.isOf(id)).findFirst().orElse(null);
    if (call == null || call.isFollowedBy(id, name, arguments)) {
      call = draft.newCall();
    }
    newest.put(index, call);
    call.identify(id);
    call.call(name);
    call.add(arguments);
    keepFields(part, call.kept());
  }

  private static JsonNode arguments(JsonNode function) {
    return function.has("arguments") ? function.path("arguments") : function.path("parameters");
  }

  private static void keepFields(JsonNode part, ObjectNode kept) {
    KeptFields.add(part, CALL, kept);
    var ofFunction = JsonNodeFactory.instance.objectNode();
    KeptFields.add(part.path("function"), FUNCTION, ofFunction);
    if (!ofFunction.isEmpty()) {
      kept.withObject("/function").setAll(ofFunction);
    }
  }
}
