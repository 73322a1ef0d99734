package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.kit.OddText;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each way in which a text gets into a statement. */
@QuarkusTest
class StorableTextDbTest {

  private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};

  @Inject Jdbi jdbi;
  @Inject Json json;

  /** Sends a text to PostgreSQL, and returns what arrived there. */
  private interface Way {
    String send(Jdbi jdbi, Json json, String text);
  }

  static Stream<Arguments> ways() {
    var ways =
        Map.<String, Way>of(
            "name", (jdbi, _, text) -> one(jdbi, "select :text", text),
            "optional", (jdbi, _, text) -> one(jdbi, "select :text", Optional.of(text)),
            "position",
                (jdbi, _, text) ->
                    jdbi.withHandle(
                        handle -> handle.select("select ?::text", text).mapTo(String.class).one()),
            "array", StorableTextDbTest::inArray,
            "array of a pipeline", StorableTextDbTest::inArrayOfPipeline,
            "pipeline",
                (jdbi, _, text) -> piped(jdbi, Statement.of("select :text").bind("text", text)),
            "value of a map",
                (jdbi, json, text) -> field(jdbi, json.write(Map.of("key", text)), "key"),
            "list of a type", (jdbi, json, text) -> item(jdbi, json.write(List.of(text), TEXTS)),
            "tree",
                (jdbi, json, text) ->
                    field(
                        jdbi,
                        json.write(JsonNodeFactory.instance.objectNode().put("key", text)),
                        "key"),
            "key of a map",
                (jdbi, json, text) ->
                    one(
                        jdbi,
                        "select jsonb_object_keys(:text::jsonb)",
                        json.write(Map.of(text, 1))));
    return ways.entrySet().stream()
        .flatMap(way ->
            Arrays.stream(OddText.values())
                .map(odd -> Arguments.of(way.getKey(), odd, way.getValue())));
  }

  @ParameterizedTest(name = "{1} as {0}")
  @MethodSource("ways")
  void textArrivesAsItIsStored(String name, OddText odd, Way way) {
    assertThat(way.send(jdbi, json, odd.text())).isEqualTo(odd.stored());
  }

  @ParameterizedTest
  @EnumSource
  void jsonIsReadAsItWasStored(OddText odd) {
    var stored = one(jdbi, "select :text::jsonb", json.write(List.of(odd.text())));

    assertThat(json.read(stored, TEXTS)).containsExactly(odd.stored());
  }

  private static String one(Jdbi jdbi, String sql, Object text) {
    return jdbi.withHandle(
        handle -> handle.createQuery(sql + "::text").bind("text", text).mapTo(String.class).one());
  }

  private static String field(Jdbi jdbi, String written, String key) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select :json::jsonb ->> :key")
            .bind("json", written)
            .bind("key", key)
            .mapTo(String.class)
            .one());
  }

  private static String item(Jdbi jdbi, String written) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select :json::jsonb ->> 0")
            .bind("json", written)
            .mapTo(String.class)
            .one());
  }

  private static String inArray(Jdbi jdbi, Json json, String text) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery("select (:texts)[2]")
            .bindArray("texts", String.class, Arrays.asList("{", text, null))
            .mapTo(String.class)
            .one());
  }

  private static String inArrayOfPipeline(Jdbi jdbi, Json json, String text) {
    return piped(
        jdbi,
        Statement.of("select (:texts)[2]").bindArray("texts", "text", Stream.of("{", text, "}")));
  }

  private static String piped(Jdbi jdbi, Statement statement) {
    return QuarkusTransaction.requiringNew()
        .call(() -> Pipeline.execute(jdbi, statement, (row, _) -> row.getString(1)).one());
  }
}
