package dev.errand.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.errand.kit.SchemaRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OfferedSchemaTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final JsonSchema META_SCHEMA =
      JsonSchemaFactory.getInstance(VersionFlag.V202012)
          .getSchema(SchemaLocation.of(SchemaId.V202012));

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          array without items | {"type":"array"} | {"type":"array","items":{}}
          array or null | {"type":["array","null"]} | {"type":["array","null"],"items":{}}
          array with items | {"type":"array","items":{"type":"string"}} | {"type":"array","items":{"type":"string"}}
          array in an array | {"type":"array","items":{"type":"array"}} | {"type":"array","items":{"type":"array","items":{}}}
          array in an object | {"type":"object","properties":{"x":{"type":"array"}}} | {"type":"object","properties":{"x":{"type":"array","items":{}}}}
          array in a union | {"anyOf":[{"type":"array"},{"type":"null"}]} | {"anyOf":[{"type":"array","items":{}},{"type":"null"}]}
          array as any other field | {"type":"object","additionalProperties":{"type":"array"}} | {"type":"object","additionalProperties":{"type":"array","items":{}}}
          array as a name | {"type":"object","properties":{"type":{"type":"string"},"items":{"type":"array"}}} | {"type":"object","properties":{"type":{"type":"string"},"items":{"type":"array","items":{}}}}
          array in data | {"type":"object","default":{"type":"array"}} | {"type":"object","default":{"type":"array"}}
          items that are a list | {"type":"array","items":[{"type":"number"},{"type":"array"}]} | {"type":"array","prefixItems":[{"type":"number"},{"type":"array","items":{}}],"items":{}}
          further items of a list | {"type":"array","items":[{"type":"number"}],"additionalItems":false} | {"type":"array","prefixItems":[{"type":"number"}],"items":{}}
          items that are true | {"type":"array","items":true} | {"type":"array","items":{}}
          a field that is true | {"type":"object","properties":{"x":true}} | {"type":"object","properties":{"x":{}}}
          a field that is false | {"type":"object","properties":{"x":false,"y":{}}} | {"type":"object","properties":{"y":{}}}
          no other fields | {"type":"object","additionalProperties":false} | {"type":"object","additionalProperties":false}
          required and unknown | {"type":"object","properties":{"x":{}},"required":["x","y"]} | {"type":"object","properties":{"x":{},"y":{}},"required":["x","y"]}
          required without properties | {"type":"object","required":["y"]} | {"type":"object","required":["y"],"properties":{"y":{}}}
          a pattern | {"type":"string","pattern":"^a+$"} | {"type":"string","description":"Must match the regular expression ^a+$"}
          a pattern and words | {"type":"string","pattern":"a","description":"Its name."} | {"type":"string","description":"Its name.\\nMust match the regular expression a"}
          a text that is not blank | {"type":"string","minLength":1,"pattern":"\\\\S"} | {"type":"string","minLength":1}
          a pattern as a name | {"type":"object","properties":{"pattern":{"type":"string"}},"required":["pattern"]} | {"type":"object","properties":{"pattern":{"type":"string"}},"required":["pattern"]}
          a long text | {"type":"string","minLength":1,"maxLength":2000} | {"type":"string","minLength":1}
          a shorter text | {"type":"string","maxLength":1999} | {"type":"string","maxLength":1999}
          a long list | {"type":"array","items":{},"maxItems":5000} | {"type":"array","items":{}}
          an exclusive limit of draft 4 | {"type":"integer","minimum":5,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false} | {"type":"integer","exclusiveMinimum":5,"maximum":9}
          an exclusive limit | {"type":"integer","minimum":1,"exclusiveMaximum":9} | {"type":"integer","minimum":1,"exclusiveMaximum":9}
          keywords of documents | {"$schema":"x","$id":"y","$comment":"z","type":"string","definitions":{},"$defs":{}} | {"type":"string"}
          a type beside a union | {"type":"string","anyOf":[{"enum":["a"]},{"type":"string"}]} | {"anyOf":[{"type":"string","enum":["a"]},{"type":"string"}]}
          types beside a union | {"type":["number","array"],"oneOf":[{"type":"integer"},{"type":"array"}]} | {"oneOf":[{"type":"integer"},{"type":"array","items":{}}]}
          another type beside a union | {"type":"string","anyOf":[{"type":"integer"}]} | {"type":"string","anyOf":[{"type":"integer"}]}
          an impossible branch | {"anyOf":[{"not":{}},{"type":"string"},false]} | {"anyOf":[{"type":"string"}]}
          a choice of fields | {"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]} | {"type":"object","properties":{"a":{},"b":{}},"description":"Required are the fields of one of these groups: a; b"}
          a long description | {"description":"@2000"} | {"description":"@1023"}
          """)
  void fieldIsOffered(String name, String own, String offered) {
    var schema =
        OfferedSchema.of(
            object(longTexts("{\"type\":\"object\",\"properties\":{\"f\":" + own + "}}")));

    assertThat(schema.at("/properties/f")).as(name).isEqualTo(json(longTexts(offered)));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          nothing | {} | {"type":"object","properties":{}}
          no fields | {"type":"object"} | {"type":"object","properties":{}}
          or null | {"type":["object","null"]} | {"type":"object","properties":{}}
          a description | {"type":"object","properties":{},"description":"All."} | {"type":"object","properties":{},"description":"All."}
          branches | {"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]},{"type":"object","properties":{"a":{"type":"string"},"c":{"type":"array"}},"required":["a","c"]}]} | {"description":"Required are the fields of one of these groups: a, b; a, c","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"array","items":{}}},"required":["a"],"type":"object"}
          branches beside a type | {"type":"object","oneOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]} | {"type":"object","properties":{"a":{},"b":{}}}
          branches that differ in a constant | {"oneOf":[{"properties":{"kind":{"type":"string","const":"x"}},"required":["kind"]},{"properties":{"kind":{"type":"string","const":"y"},"n":{}},"required":["kind","n"]}]} | {"type":"object","properties":{"kind":{"type":"string","enum":["x","y"]},"n":{}},"required":["kind"],"description":"Required are the fields of one of these groups: kind = \\"x\\"; kind = \\"y\\", n"}
          branches that differ in a type | {"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"integer"}}}]} | {"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}
          a branch that is null | {"anyOf":[{"type":"object","properties":{"a":{}},"required":["a"]},{"type":"null"}]} | {"type":"object","properties":{"a":{}},"required":["a"]}
          all of | {"allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}],"required":["a"]} | {"type":"object","properties":{"a":{},"b":{"type":"string"}},"required":["a","b"]}
          unions in unions | {"allOf":[{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]},{"properties":{"c":{}}}]} | {"type":"object","properties":{"a":{},"b":{},"c":{}}}
          own fields first | {"properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{"minLength":3}},"required":["a"]}]} | {"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}
          not | {"type":"object","properties":{"a":{}},"not":{"required":["a"]}} | {"type":"object","properties":{"a":{}}}
          names that are refused | {"type":"object","properties":{"a":{},"filter[id]":{"type":"string","description":"An id."},"$top":{}},"required":["a","$top"],"additionalProperties":false} | {"type":"object","properties":{"a":{}},"required":["a"],"description":"Further fields: \\"filter[id]\\" (string): An id.; \\"$top\\" (any value, required)"}
          """)
  void wholeIsOffered(String name, String own, String offered) {
    var schema = OfferedSchema.of(object(own));

    assertThat(schema).as(name).isEqualTo(json(offered));
    assertThat(SchemaRules.refusals(schema)).isEmpty();
    assertThat(META_SCHEMA.validate(schema)).isEmpty();
  }

  @Test
  void ownSchemaStaysAsItIs() {
    var own =
        object("{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"array\"}},\"required\":[\"b\"]}]}");
    var before = own.deepCopy();

    OfferedSchema.of(own);

    assertThat(own).isEqualTo(before);
  }

  @Test
  void otherTypesAreNotChanged() {
    assertThat(OfferedSchema.of(object("{\"type\":\"string\"}")).get("type").asText())
        .isEqualTo("string");
  }

  /** {@code @9} stands for a text of nine characters; one that was cut ends with an ellipsis. */
  private static String longTexts(String text) {
    return text.replace("@2000", "x".repeat(2_000)).replace("@1023", "x".repeat(1_023) + "…");
  }

  private static ObjectNode object(String text) {
    return (ObjectNode) json(text);
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException malformed) {
      throw new AssertionError(malformed);
    }
  }
}
