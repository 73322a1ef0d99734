package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The places of a request to any of the three APIs. */
final class RequestFields {

  private RequestFields() {}

  /** Returns the object that has a field, for example {@code options.num_predict}. */
  static Optional<ObjectNode> owner(ObjectNode request, String path) {
    var dot = path.indexOf('.');
    return dot < 0
        ? Optional.of(request)
        : object(request.path(path.substring(0, dot))).findFirst();
  }

  /** Returns the last name of a path. */
  static String name(String path) {
    return path.substring(path.lastIndexOf('.') + 1);
  }

  static Stream<ObjectNode> messages(ObjectNode request, String role) {
    return objects(request.path("messages"))
        .filter(message -> message.path("role").asText().equals(role));
  }

  /**
   * Returns messages, their parts and calls, instructions and tools, but nothing that is in
   * arguments.
   */
  static Stream<ObjectNode> parts(ObjectNode request) {
    var messages =
        objects(request.path("messages"))
            .flatMap(message ->
                Stream.of(
                        Stream.of(message),
                        objects(message.path("content")),
                        withFunctions(message.path("tool_calls")))
                    .flatMap(parts -> parts));
    return Stream.of(
            messages, objects(request.path("system")), withFunctions(request.path("tools")))
        .flatMap(parts -> parts);
  }

  private static Stream<ObjectNode> withFunctions(JsonNode list) {
    return objects(list)
        .flatMap(one -> Stream.concat(Stream.of(one), object(one.path("function"))));
  }

  private static Stream<ObjectNode> objects(JsonNode list) {
    return list.isArray() ? list.valueStream().flatMap(RequestFields::object) : Stream.empty();
  }

  static Stream<ObjectNode> object(JsonNode node) {
    return node instanceof ObjectNode object ? Stream.of(object) : Stream.empty();
  }

  static String text(ObjectNode message) {
    var content = message.path("content");
    return content.isArray()
        ? content
            .valueStream()
            .map(part -> part.path("text").asText())
            .collect(Collectors.joining("\n\n"))
        : content.asText();
  }

  /** Puts a text before that of a message. */
  static void prepend(ObjectNode message, String text) {
    if (message.path("content") instanceof ArrayNode parts) {
      parts.insertObject(0).put("type", "text").put("text", text);
    } else {
      message.put("content", text + "\n\n" + message.path("content").asText());
    }
  }

  /** Removes these messages. */
  static void remove(ObjectNode request, List<ObjectNode> messages) {
    if (request.path("messages") instanceof ArrayNode all) {
      for (int place = all.size() - 1; place >= 0; place--) {
        var message = all.get(place);
        if (messages.stream().anyMatch(gone -> gone == message)) {
          all.remove(place);
        }
      }
    }
  }
}
