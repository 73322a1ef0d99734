package dev.errand.kit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A connection of HTTP/1.1 whose bytes the test decides, and that sees every byte of the server and
 * how it ends the connection.
 */
public final class RawConnection implements AutoCloseable {

  private static final int TIMEOUT_MS = 60_000;
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *([0-9]+)");
  private static final Pattern CLOSE = Pattern.compile("(?i)\r\nconnection: *close");

  private final Socket socket;

  public RawConnection(int port) throws IOException {
    this.socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(TIMEOUT_MS);
    socket.setTcpNoDelay(true);
  }

  /** The head and the body of a response; a body without a length ends with the connection. */
  public record Response(String head, String body) {

    public int status() {
      return Integer.parseInt(head.substring(9, 12));
    }

    /** Whether it says that the connection will be closed. */
    public boolean announcesClose() {
      return CLOSE.matcher(head).find();
    }
  }

  /**
   * What a server sent until it ended a connection.
   *
   * @param end {@code EOF}, or the error that ended it
   */
  public record Ended(List<Response> responses, String end) {}

  public void send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Reads one response with a {@code Content-Length}. */
  public Response read() throws IOException {
    var head = new ByteArrayOutputStream();
    if (!readHead(head)) {
      throw new IOException("no response: " + head);
    }
    return body(head.toString(StandardCharsets.ISO_8859_1));
  }

  /** Reads until the server ends the connection. */
  public Ended readToEnd() {
    var responses = new ArrayList<Response>();
    try {
      var head = new ByteArrayOutputStream();
      while (readHead(head)) {
        responses.add(body(head.toString(StandardCharsets.ISO_8859_1)));
        head.reset();
      }
      return new Ended(responses, head.size() == 0 ? "EOF" : "EOF within a response");
    } catch (IOException broken) {
      return new Ended(responses, broken.toString());
    }
  }

  private boolean readHead(ByteArrayOutputStream head) throws IOException {
    var input = socket.getInputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      var next = input.read();
      if (next < 0) {
        return false;
      }
      head.write(next);
    }
    return true;
  }

  private Response body(String head) throws IOException {
    var length = LENGTH.matcher(head);
    InputStream input = socket.getInputStream();
    var body =
        length.find()
            ? input.readNBytes(Integer.parseInt(length.group(1)))
            : head.startsWith("HTTP/1.1 1") ? new byte[0] : input.readAllBytes();
    return new Response(head, new String(body, StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
