package dev.errand.kit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A proxy for HTTP: {@code CONNECT} for tunnels, the absolute form for plain requests. It knows the
 * names of a network of its own, all of which are servers on this machine.
 */
public final class HttpProxy implements AutoCloseable {

  private final ServerSocket server;
  private final Map<String, Integer> names;
  private final @Nullable String login;
  private final List<String> passed = new CopyOnWriteArrayList<>();
  private final List<String> refused = new CopyOnWriteArrayList<>();

  private HttpProxy(Map<String, Integer> names, @Nullable String login) {
    try {
      this.names = Map.copyOf(names);
      this.login = login;
      this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
    Thread.startVirtualThread(this::accept);
  }

  /**
   * @param names ports of this machine by {@code host:port}
   */
  public static HttpProxy to(Map<String, Integer> names) {
    return new HttpProxy(names, null);
  }

  /**
   * @param login {@code user:password} that each request must have
   */
  public static HttpProxy to(Map<String, Integer> names, String login) {
    return new HttpProxy(names, login);
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Requests that reached their targets, {@code CONNECT host:port} or {@code POST http://…}. */
  public List<String> passed() {
    return List.copyOf(passed);
  }

  /** Requests that were refused, with the status. */
  public List<String> refused() {
    return List.copyOf(refused);
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        var client = server.accept();
        Thread.startVirtualThread(() -> serve(client));
      } catch (IOException closed) {
        // The loop ends.
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      var head = head(client.getInputStream());
      if (head.isEmpty()) {
        return;
      }
      var first = head.lines().findFirst().orElseThrow().split(" ");
      var port = names.get(target(first[0], first[1]));
      if (!isAllowed(head)) {
        refuse(
            client,
            first,
            "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"proxy\"");
      } else if (port == null) {
        refuse(client, first, "502 Bad Gateway");
      } else {
        passed.add(first[0] + " " + first[1]);
        pass(client, first, head, port);
      }
    } catch (IOException ended) {
      // The client is gone.
    }
  }

  private static String target(String method, String text) {
    if (method.equals("CONNECT")) {
      return text;
    }
    var url = URI.create(text);
    return url.getHost() + ":" + (url.getPort() < 0 ? 80 : url.getPort());
  }

  private boolean isAllowed(String head) {
    return login == null
        || head.lines()
            .anyMatch(
                ("Proxy-Authorization: Basic "
                        + Base64.getEncoder().encodeToString(login.getBytes(ISO_8859_1)))
                    ::equalsIgnoreCase);
  }

  private void refuse(Socket client, String[] request, String answer) throws IOException {
    refused.add(answer.substring(0, 3) + " " + request[0] + " " + request[1]);
    write(client, "HTTP/1.1 " + answer + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    client.shutdownOutput();
    client.getInputStream().transferTo(OutputStream.nullOutputStream());
  }

  private static void pass(Socket client, String[] request, String head, int port)
      throws IOException {
    var upstream = new Socket(InetAddress.getLoopbackAddress(), port);
    if (request[0].equals("CONNECT")) {
      write(client, "HTTP/1.1 200 Connection established\r\n\r\n");
    } else {
      write(upstream, withoutProxy(request, head));
    }
    Relay.between(client, upstream);
  }

  private static String withoutProxy(String[] request, String head) {
    var url = URI.create(request[1]);
    var path = url.getRawPath() + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery());
    var headers =
        Arrays.stream(head.split("\r\n"))
            .skip(1)
            .filter(line -> !line.toLowerCase(Locale.ROOT).matches("(proxy-|connection:).*"))
            .toList();
    return "%s %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n"
        .formatted(request[0], path, String.join("\r\n", headers));
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Reads a request to the end of its headers, and no further. */
  private static String head(InputStream input) throws IOException {
    var head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      var next = input.read();
      if (next < 0) {
        return "";
      }
      head.write(next);
    }
    return head.toString(ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
