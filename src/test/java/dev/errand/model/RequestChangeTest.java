package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.ContextWindows.Window;
import dev.errand.model.Dialect.CalledModel;
import dev.errand.model.RequestChange.LeaveOut;
import dev.errand.model.RequestChange.Lower;
import dev.errand.model.RequestChange.Rename;
import dev.errand.tenant.ProviderCredentials;
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
  void changesAreRememberedForTheirEndpointTenantAndModel() {
    var changes = changes(new LeaveOut("temperature"));
    var own = new ProviderCredentials("key", null, null);

    quirks.remember(called("a", null, "m"), changes);

    assertThat(quirks.of(called("a", null, "m"))).isEqualTo(changes);
    assertThat(quirks.of(called("a", null, "n"))).isEqualTo(RequestChanges.NONE);
    assertThat(quirks.of(called("b", null, "m"))).isEqualTo(RequestChanges.NONE);
    assertThat(quirks.of(called("a", own, "m"))).isEqualTo(RequestChanges.NONE);
  }

  @Test
  void parameterIsLeftOutIfNeitherNameIsTaken() throws IOException {
    var renamed = new Rename("max_tokens", "max_completion_tokens");
    var back = new Rename("max_completion_tokens", "max_tokens");
    var request =
        (ObjectNode) JSON.readTree("{\"model\":\"m\",\"max_tokens\":100,\"temperature\":0.5}");

    changes(renamed).applyTo(request);
    assertThat(request.path("max_completion_tokens").asInt()).isEqualTo(100);
    changes(renamed, back).applyTo(request);

    assertThat(request.propertyStream().map(field -> field.getKey()))
        .containsExactly("model", "temperature");
  }

  @Test
  void onlyASmallerLimitIsNew() {
    var changes = changes(new Lower("max_tokens", 50));

    assertThat(changes.with(new Lower("max_tokens", 60))).isEmpty();
    assertThat(changes.with(new Lower("max_tokens", 40))).isPresent();
  }

  @Test
  void changesAndModelsAreBounded() {
    var changes = RequestChanges.NONE;
    for (int number = 0; number < 100; number++) {
      changes = changes.with(new LeaveOut("field" + number)).orElse(changes);
    }
    assertThat(changes.all()).hasSize(8);

    for (int number = 0; number < 2_000; number++) {
      quirks.remember(called("a", null, "m" + number), changes);
    }
    assertThat(quirks.of(called("a", null, "m0"))).isEqualTo(RequestChanges.NONE);
    assertThat(quirks.of(called("a", null, "m1999"))).isEqualTo(changes);
  }

  private static RequestChanges changes(RequestChange... all) {
    var changes = RequestChanges.NONE;
    for (var change : all) {
      changes = changes.with(change).orElseThrow();
    }
    return changes;
  }

  private static CalledModel called(String host, @Nullable ProviderCredentials own, String model) {
    var url = URI.create("https://" + host + ".example.com/v1");
    return new CalledModel(new Endpoint("openai", url, "k", own), model, new Window(1_000, 100));
  }

  static Stream<JsonNode> refusedRequests() throws IOException {
    try (var lines = RequestChangeTest.class.getResourceAsStream("/model/refused-requests.jsonl")) {
      return JSON.readerFor(JsonNode.class).<JsonNode>readValues(lines).readAll().stream();
    }
  }
}
