package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.RequestChange.LeaveOut;
import dev.errand.model.RequestChange.Lower;
import dev.errand.model.RequestChange.Rename;
import dev.errand.tenant.TenantModels.Access;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What refusals say about requests; each is a row of a file, with the request as it is then. */
class RequestChangeTest {

  private static final JsonMapper JSON = new JsonMapper();

  private final EndpointQuirks quirks = new EndpointQuirks();

  @ParameterizedTest
  @MethodSource("refusedRequests")
  void requestIsChangedAsItsRefusalSays(JsonNode row) throws IOException {
    var request = row.withObject("/request").deepCopy();

    var change = change(row, request);

    change.ifPresent(found -> found.applyTo(request));
    change.ifPresent(found -> found.applyTo(request));
    var after = change.isPresent() ? row.path("after") : row.path("request");
    assertThat(change.isPresent()).isEqualTo(row.path("after").isObject());
    assertThat(JSON.readTree(request.toString())).isEqualTo(after);
  }

  private static Optional<RequestChange> change(JsonNode row, ObjectNode request) {
    return RequestChange.in(row.path("status").asInt(), row.path("body").toString(), request);
  }

  @Test
  void changeIsRememberedForItsEndpointTenantAndModel() throws IOException {
    var change = new LeaveOut("temperature");

    assertThat(quirks.learn(endpoint("a", null), request("m"), change)).isTrue();
    assertThat(quirks.learn(endpoint("a", null), request("m"), change)).isFalse();

    var own = new Access("key", null, null);
    assertThat(sent(endpoint("a", null), "m").has("temperature")).isFalse();
    assertThat(sent(endpoint("a", null), "n").has("temperature")).isTrue();
    assertThat(sent(endpoint("b", null), "m").has("temperature")).isTrue();
    assertThat(sent(endpoint("a", own), "m").has("temperature")).isTrue();
  }

  @Test
  void parameterIsLeftOutIfNeitherNameIsTaken() throws IOException {
    var endpoint = endpoint("a", null);
    quirks.learn(endpoint, request("m"), new Rename("max_tokens", "max_completion_tokens"));
    assertThat(sent(endpoint, "m").path("max_completion_tokens").asInt()).isEqualTo(100);

    quirks.learn(endpoint, request("m"), new Rename("max_completion_tokens", "max_tokens"));

    assertThat(sent(endpoint, "m").propertyStream().map(field -> field.getKey()))
        .containsExactly("model", "temperature");
  }

  @Test
  void onlyASmallerLimitIsNew() throws IOException {
    var endpoint = endpoint("a", null);

    assertThat(quirks.learn(endpoint, request("m"), new Lower("max_tokens", 50))).isTrue();
    assertThat(quirks.learn(endpoint, request("m"), new Lower("max_tokens", 60))).isFalse();
    assertThat(quirks.learn(endpoint, request("m"), new Lower("max_tokens", 40))).isTrue();

    assertThat(sent(endpoint, "m").path("max_tokens").asInt()).isEqualTo(40);
  }

  @Test
  void oneModelAndManyModelsAreBounded() throws IOException {
    var endpoint = endpoint("a", null);
    for (int number = 0; number < 100; number++) {
      quirks.learn(endpoint, request("m"), new LeaveOut("field" + number));
    }
    assertThat(quirks.learn(endpoint, request("m"), new LeaveOut("temperature"))).isFalse();

    for (int number = 0; number < 2_000; number++) {
      assertThat(quirks.learn(endpoint, request("m" + number), new LeaveOut("temperature")))
          .isTrue();
    }
    assertThat(sent(endpoint, "m0").has("temperature")).isTrue();
    assertThat(sent(endpoint, "m1999").has("temperature")).isFalse();
  }

  private ObjectNode sent(Endpoint endpoint, String model) throws IOException {
    var request = request(model);
    quirks.apply(endpoint, request);
    return request;
  }

  private static ObjectNode request(String model) throws IOException {
    return (ObjectNode)
        JSON.readTree("{\"model\":\"%s\",\"max_tokens\":100,\"temperature\":0.5}".formatted(model));
  }

  private static Endpoint endpoint(String host, @Nullable Access own) {
    return new Endpoint("openai", URI.create("https://" + host + ".example.com/v1"), "k", own);
  }

  static Stream<JsonNode> refusedRequests() throws IOException {
    try (var lines = RequestChangeTest.class.getResourceAsStream("/model/refused-requests.jsonl")) {
      return JSON.readerFor(JsonNode.class).<JsonNode>readValues(lines).readAll().stream();
    }
  }
}
