package dev.errand.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/** The wire format of one provider. */
public interface StubWire {

  /** The path that requests are posted to. */
  String path();

  /** The name of a model of this provider, as the service is configured with it. */
  String model();

  /** Environment variables that make the service use the endpoint at this URL. */
  Map<String, String> environment(String url);

  /** The messages of a request, without the system prompt. */
  List<Turn> turns(JsonNode request);

  /** The names of the tools in a request. */
  List<String> tools(JsonNode request);

  /** An answer in this wire format. */
  String answer(StubEndpoint.Answer answer);
}
