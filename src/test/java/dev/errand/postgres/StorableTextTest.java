package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.kit.OddText;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StorableTextTest {

  @ParameterizedTest
  @EnumSource
  void textIsReplacedOnlyWhereItCannotBeStored(OddText odd) {
    assertThat(StorableText.of(odd.text())).isEqualTo(odd.stored());
    assertThat(StorableText.of(odd.stored())).as("no copy").isSameAs(odd.stored());
  }

  @ParameterizedTest
  @EnumSource
  void textsAndNamesInJsonAreReplaced(OddText odd) {
    assertThat(StorableText.of(json(odd.text()))).isEqualTo(json(odd.stored()));
    var storable = json(odd.stored());
    assertThat(StorableText.of(storable)).as("no copy").isSameAs(storable);
  }

  private static ObjectNode json(String text) {
    var json = JsonNodeFactory.instance.objectNode().put("number", 1.50).putNull("none");
    json.putArray("list").add(7).addObject().put(text, true).put("text", text);
    return json;
  }
}
