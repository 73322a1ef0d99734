package dev.errand.tool.mcp;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Lists of tools that deviate from the protocol. */
final class OddLists {

  /** Fields of other types, no schema, no name. */
  static final String LOOSE =
      """
      [{"name": "true", "inputSchema": true},
       {"name": "null", "inputSchema": null},
       {"name": "none"},
       {"name": "list", "inputSchema": [{"type": "object"}]},
       {"name": "words", "description": {"en": "words"}, "inputSchema": {"type": "object"}},
       {"name": "titled", "title": 7, "description": "Titled.", "inputSchema": {"type": "object"}},
       {"name": "hinted", "annotations": {"readOnlyHint": "true", "audience": ["user"], "x": {}},
        "inputSchema": {"type": "object"}},
       {"name": "unhinted", "annotations": ["readOnly"], "inputSchema": {"type": "object"}},
       {"name": "more", "icons": "none", "execution": {"taskSupport": "optional"}, "outputSchema": true,
        "_meta": [], "inputSchema": {"type": "object"}},
       {"name": 7, "inputSchema": {"type": "object"}},
       {"description": "Has no name.", "inputSchema": {"type": "object"}},
       "raw"]
      """;

  /** Schemas that are valid, and for which providers refuse a whole request. */
  static final String REFUSED =
      """
      [{"name": "tag", "inputSchema": {"type": "object",
         "properties": {"texts": {"type": "array"}}, "required": ["texts"]}},
       {"name": "nested", "inputSchema": {"type": "object",
         "properties": {"m": {"type": "array", "items": {"type": "array"}}}}},
       {"name": "nullable", "inputSchema": {"type": "object",
         "properties": {"a": {"type": ["array", "null"]}}}},
       {"name": "referred", "inputSchema": {"type": "object",
         "properties": {"tree": {"$ref": "#/$defs/Tree"}},
         "$defs": {"Tree": {"type": "object", "properties": {
           "leaves": {"type": "array"}, "branches": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}}}},
       {"name": "lost", "inputSchema": {"type": "object", "properties": {}, "required": ["gone"]}},
       {"name": "union", "inputSchema": {"type": "object", "anyOf": [
         {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]},
         {"type": "object", "properties": {"url": {"type": "string", "pattern": "^https:"}}, "required": ["url"]}]}},
       {"name": "odata", "inputSchema": {"type": "object",
         "properties": {"$top": {"type": "integer"}, "text": {"type": "string", "maxLength": 4000}}}},
       {"name": "bare", "inputSchema": {"type": ["object", "null"]}}]
      """;

  private OddLists() {}

  /** Tools with long descriptions, from {@code tool100} on. */
  static String many(int tools) {
    var description = "long words ".repeat(200);
    return IntStream.range(100, 100 + tools)
        .mapToObj(number ->
            "{\"name\": \"tool%d\", \"description\": \"%s\", \"inputSchema\": {\"type\": \"object\"}}"
                .formatted(number, description))
        .collect(Collectors.joining(",", "[", "]"));
  }
}
