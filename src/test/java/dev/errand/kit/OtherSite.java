package dev.errand.kit;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** A web server with one page, which is the page of any host name that leads to this machine. */
public final class OtherSite implements AutoCloseable {

  private final HttpServer server;

  public OtherSite() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          var page = "<!doctype html><title>A page</title>".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "text/html");
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    server.start();
  }

  /** The origin of the page at this host. */
  public String at(String host) {
    return "http://" + host + ":" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
