package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.api.OpenApiDocument.Operation;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.OddText;
import dev.errand.kit.Script;
import dev.errand.kit.TaskKit;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Odd characters in every place of every body of the OpenAPI document: what cannot be stored is
 * replaced, and what is refused is answered with a problem document.
 */
@QuarkusTest
class OddTextDbTest {

  @Inject TaskKit kit;

  @BeforeEach
  void begin() {
    kit.begin();
    kit.children(_ -> new Script().saysForever("found"));
  }

  /** So that the other requests find a service that runs what they ask for. */
  private static void endPauses() {
    given()
        .get("/v1/pauses")
        .<List<String>>path("items.id")
        .forEach(pause -> given().delete("/v1/pauses/{id}", pause));
  }

  /** With U+0000 and both halves of a pair; {@code StorableTextDbTest} has the other texts. */
  @Test
  void everyFieldOfEveryBodyIsStoredOrRefused() throws IOException {
    var odd = OddText.NUL_IN_A_PAIR;
    var document = document();
    var values = new SampleValues(document);
    var session = kit.externalSession().toString();
    var faults = new ArrayList<String>();
    var sent = 0;
    for (var operation : document.operations()) {
      var schema = document.bodySchema(operation);
      if (schema != null) {
        for (var body : variants(values.object(schema, true), odd.text())) {
          faults.addAll(faults(operation, body, send(operation, session, body)));
          sent++;
        }
        endPauses();
      }
    }
    assertThat(faults).isEmpty();
    assertThat(sent).isGreaterThan(50);
  }

  /** The text in each place, and as the name of a field in each object. */
  private static List<ObjectNode> variants(ObjectNode full, String text) {
    var variants = new ArrayList<ObjectNode>();
    for (var place : places(JsonPointer.empty(), full)) {
      var variant = full.deepCopy();
      switch (variant.at(place.head())) {
        case ObjectNode object -> object.put(place.last().getMatchingProperty(), text);
        case ArrayNode array -> array.set(place.last().getMatchingIndex(), text);
        default -> throw new AssertionError(place);
      }
      variants.add(variant);
    }
    variants.add(full.deepCopy().put(text, text));
    return variants;
  }

  private static List<JsonPointer> places(JsonPointer at, JsonNode node) {
    var places = new ArrayList<JsonPointer>();
    node.properties()
        .forEach(field -> {
          var place = at.appendProperty(field.getKey());
          places.add(place);
          places.addAll(places(place, field.getValue()));
        });
    if (node.isArray()) {
      for (int index = 0; index < node.size(); index++) {
        places.add(at.appendIndex(index));
        places.addAll(places(at.appendIndex(index), node.get(index)));
      }
    }
    return places;
  }

  private static OpenApiDocument document() throws IOException {
    return new OpenApiDocument(
        new JsonMapper().readTree(given().get("/q/openapi?format=json").asString()));
  }

  private static HttpAnswer send(Operation operation, String session, ObjectNode body) {
    var id = operation.path().contains("/tenants/") ? "sample" : session;
    return given()
        .contentType("application/json")
        .header("Prefer", "wait=0")
        .body(body)
        .send(
            operation.method().toUpperCase(Locale.ROOT),
            operation.path().replaceAll("\\{[^}]*}", id));
  }

  private static List<String> faults(Operation operation, JsonNode body, HttpAnswer answer) {
    var refused = answer.statusCode() >= 400;
    var isExplained = answer.contentType().startsWith("application/problem+json");
    return answer.statusCode() >= 500 || refused != isExplained
        ? List.of(operation + " " + body + ": " + answer)
        : List.of();
  }
}
