package dev.errand.mcp;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The words of the protocol, by the specification of revision 2026-07-28. */
final class Protocol {

  /** The revision in which each request says its version and its capabilities. */
  static final String MODERN = "2026-07-28";

  /** The revisions that begin with {@code initialize}, the newest first. */
  static final List<String> LEGACY = List.of("2025-11-25", "2025-06-18", "2025-03-26");

  static final List<String> VERSIONS = Stream.concat(Stream.of(MODERN), LEGACY.stream()).toList();

  static final String META = "_meta";
  static final String VERSION = "io.modelcontextprotocol/protocolVersion";
  static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
  static final String SERVER_INFO = "io.modelcontextprotocol/serverInfo";
  static final String TASKS = "io.modelcontextprotocol/tasks";

  static final String VERSION_HEADER = "MCP-Protocol-Version";
  static final String METHOD_HEADER = "Mcp-Method";
  static final String NAME_HEADER = "Mcp-Name";
  static final String SESSION_HEADER = "Errand-Session";
  static final String KEY_HEADER = "Idempotency-Key";

  static final String DISCOVER = "server/discover";
  static final String INITIALIZE = "initialize";
  static final String PING = "ping";
  static final String LIST_TOOLS = "tools/list";
  static final String CALL_TOOL = "tools/call";
  static final String GET_TASK = "tasks/get";
  static final String CANCEL_TASK = "tasks/cancel";
  static final String UPDATE_TASK = "tasks/update";

  static final Set<String> OF_TASKS = Set.of(GET_TASK, CANCEL_TASK, UPDATE_TASK);
  static final Set<String> MODERN_METHODS =
      Set.of(DISCOVER, LIST_TOOLS, CALL_TOOL, GET_TASK, CANCEL_TASK, UPDATE_TASK);
  static final Set<String> LEGACY_METHODS = Set.of(INITIALIZE, PING, LIST_TOOLS, CALL_TOOL);

  private Protocol() {}
}
