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
