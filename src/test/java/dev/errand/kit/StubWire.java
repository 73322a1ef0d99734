package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/** How one provider's endpoint is spoken to. */
public interface StubWire {

  /** Where requests are posted. */
  String path();

  /** The name of a model behind it. */
  String model();

  /** How the service is told of it. */
  Map<String, String> environment(String url);

  /** The messages of a request, without the system prompt. */
  List<Turn> turns(JsonNode request);

  /** Names of the tools that were offered. */
  List<String> tools(JsonNode request);

  String answer(StubEndpoint.Answer answer);
}
