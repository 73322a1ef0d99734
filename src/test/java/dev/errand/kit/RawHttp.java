package dev.errand.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends requests byte by byte as they are written, also those that no HTTP client would send. */
public final class RawHttp {

  private static final int TIMEOUT_MS = 60_000;

  private RawHttp() {}

  /**
   * Sends lines with CR LF after each, then an empty line, and reads until the server closes the
   * connection. The request should contain {@code Connection: close}.
   */
  public static Answer send(int port, String... lines) {
    return sendBytes(port, String.join("\r\n", lines) + "\r\n\r\n");
  }

  /** Sends exactly this text, in ISO 8859-1. */
  public static Answer sendBytes(int port, String text) {
    try (var socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(TIMEOUT_MS);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      var answer = socket.getInputStream().readAllBytes();
      return new Answer(new String(answer, StandardCharsets.UTF_8));
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  /** An answer as text: status line, headers and body. */
  public record Answer(String text) {

    /** The status; 0 if there is no answer. */
    public int status() {
      return text.startsWith("HTTP/1.") ? Integer.parseInt(text.substring(9, 12)) : 0;
    }
  }
}
