package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.function.Consumer;

/** The format in which the API of a provider writes requests and answers. */
interface Dialect {

  /** Returns what is added to the base URL for a call. */
  String path();

  /** Returns the headers that carry the key, if there is one. */
  Map<String, String> headers(Endpoint endpoint);

  /**
   * Returns the request. It may share its values with other requests, so it is not changed deep.
   */
  ObjectNode request(ModelRequest request, CalledModel model);

  /**
   * Returns a reader of one answer. It gets each event of a stream, or the whole answer at once.
   */
  Consumer<JsonNode> reader(AnswerDraft draft);

  /** A model at its endpoint. */
  record CalledModel(Endpoint endpoint, String model, ContextWindows.Window window) {

    /** Returns the name with its provider. */
    String name() {
      return endpoint.provider() + ":" + model;
    }
  }
}
