package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Changes answers of servers so that the SDK can read them. It reads no result with a content of a
 * type that it does not know, and no list that contains one tool with a field of another type.
 */
final class ServerAnswers {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The key under which the SDK carries a result that it does not read. */
  private static final String UNREAD = "dev.errand/result";

  private ServerAnswers() {}

  /**
   * @param type what the SDK makes of the answer
   */
  static Object readable(@Nullable Object answer, Type type) {
    if (type == McpSchema.CallToolResult.class) {
      return unread(answer);
    }
    return type == McpSchema.ListToolsResult.class && answer instanceof Map<?, ?> list
        ? listed(list)
        : Objects.requireNonNullElse(answer, Map.of());
  }

  /** Returns the result of a call as the server sent it. */
  static JsonNode result(McpSchema.CallToolResult carrier) {
    return JSON.valueToTree(carrier.meta().get(UNREAD));
  }

  private static Map<String, Object> unread(@Nullable Object result) {
    var carried = new HashMap<String, @Nullable Object>();
    carried.put(UNREAD, result);
    return Map.of("content", List.of(), "_meta", carried);
  }

  private static Map<String, Object> listed(Map<?, ?> answer) {
    var list = new HashMap<String, Object>();
    list.put(
        "tools",
        answer.get("tools") instanceof List<?> tools
            ? tools.stream().filter(ServerAnswers::hasName).map(ServerAnswers::tool).toList()
            : List.of());
    copyText("nextCursor", answer, list);
    return list;
  }

  private static boolean hasName(@Nullable Object tool) {
    return tool instanceof Map<?, ?> fields
        && fields.get("name") instanceof String name
        && !name.isBlank();
  }

  /** Returns what the service uses of a tool. */
  private static Map<String, Object> tool(Object given) {
    var fields = (Map<?, ?>) given;
    var tool = new HashMap<String, Object>();
    List.of("name", "title", "description").forEach(name -> copyText(name, fields, tool));
    tool.put("inputSchema", fields.get("inputSchema") instanceof Map<?, ?> map ? map : Map.of());
    if (fields.get("annotations") instanceof Map<?, ?> hints) {
      tool.put("annotations", Map.of("readOnlyHint", isTrue(hints.get("readOnlyHint"))));
    }
    return tool;
  }

  private static boolean isTrue(@Nullable Object value) {
    return "true".equals(String.valueOf(value));
  }

  private static void copyText(String name, Map<?, ?> from, Map<String, Object> to) {
    if (from.get(name) instanceof String text) {
      to.put(name, text);
    }
  }
}
