package demo;

import java.io.IOException;

/** A client of MCP in a process of its own. */
interface McpClient {

  String name();

  /** Starts the client: the first time it delegates, later it continues. */
  void open() throws IOException, InterruptedException;

  /** Kills the client as {@code kill -9} does. */
  void kill() throws InterruptedException;
}
