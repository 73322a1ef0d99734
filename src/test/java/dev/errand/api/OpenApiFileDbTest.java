package dev.errand.api;

import static dev.errand.kit.Http.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The OpenAPI document that is served is what the annotations say. With {@code -Dopenapi.write} the
 * file is written.
 */
@QuarkusTest
class OpenApiFileDbTest {

  private static final Path FILE = Path.of("src/main/resources/openapi.yaml");
  private static final String GENERATED = "/q/generated-openapi";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Test
  void fileIsWhatTheAnnotationsSay() throws IOException {
    var generated = given().get(GENERATED).asString();
    if (System.getProperty("openapi.write") != null) {
      Files.writeString(FILE, generated);
    }

    assertThat(Files.readString(FILE))
        .as("%s, which `make openapi` writes", FILE)
        .isEqualTo(generated);
  }

  @Test
  void jsonIsTheSameDocument() throws IOException {
    var served = given().get("/q/openapi?format=json").asString();

    assertThat(JSON.readTree(served))
        .isEqualTo(JSON.readTree(given().get(GENERATED + "?format=json").asString()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/q/openapi             | */*                           | application/yaml",
        "/q/openapi             | application/yaml              | application/yaml",
        "/q/openapi             | application/json, */*;q=0.1   | application/json",
        "/q/openapi?format=json | application/yaml              | application/json",
        "/q/openapi?format=YAML | application/json              | application/yaml"
      })
  void formatIsChosenByParameterOrHeader(String path, String accepted, String type) {
    var answer = given().header("Accept", accepted).get(path);

    answer.then().statusCode(200);
    assertThat(answer.contentType()).isEqualTo(type + ";charset=UTF-8");
    assertThat(answer.asString()).startsWith(type.endsWith("json") ? "{\"" : "---\n");
  }
}
