package dev.errand.story;

import java.util.List;
import java.util.stream.Stream;

/** What clients of HTTP/1.1 send before and during a stop, and which responses they get. */
final class ConnectionRows {

  /** How long the stopping service answers requests, in milliseconds. */
  static final int DELAY = 4_000;

  /** After {@link #DELAY}, so that the service has begun to close connections. */
  private static final int LATE = DELAY + 1_000;

  static final String GET = head("GET /v1/tasks?limit=1");

  private static final String SESSION = session("cut");

  private ConnectionRows() {}

  /**
   * Bytes that a client sends.
   *
   * @param at milliseconds after SIGTERM; negative is before it
   */
  record Sent(int at, String bytes) {}

  /**
   * The life of one connection.
   *
   * @param statuses the expected responses; the last one announces the end of the connection
   */
  record Row(String name, List<Sent> sent, List<Integer> statuses) {

    @Override
    public String toString() {
      return name;
    }
  }

  private static Row row(String name, List<Integer> statuses, Sent... sent) {
    return new Row(name, List.of(sent), statuses);
  }

  private static String head(String line, String... headers) {
    return line
        + " HTTP/1.1\r\nHost: localhost\r\n"
        + String.join("", Stream.of(headers).map(header -> header + "\r\n").toList())
        + "\r\n";
  }

  private static String post(String path, String body, String... headers) {
    var all =
        Stream.concat(
            Stream.of("Content-Type: application/json", "Content-Length: " + body.length()),
            Stream.of(headers));
    return head("POST " + path, all.toArray(String[]::new)) + body;
  }

  static String session(String title) {
    return post("/v1/sessions", "{\"title\":\"" + title + "\"}");
  }

  /** Sends a request in two parts. */
  private static Row cut(String name, int length, int from, int to) {
    return row(
        name,
        List.of(201),
        new Sent(from, SESSION.substring(0, length)),
        new Sent(to, SESSION.substring(length)));
  }

  /** The service knows no unanswered request of these connections when it begins to close. */
  static Stream<Row> heads() {
    var keepAlive = head("GET /v1/tasks", "Connection: keep-alive");
    var close = head("GET /v1/tasks", "Connection: close");
    var halfHead = GET.substring(0, 20);
    return Stream.of(
        row("nothing is sent", List.of()),
        row("a request at once", List.of(200), new Sent(100, GET)),
        row("a request during the delay", List.of(200), new Sent(1_000, GET)),
        row("a request shortly before the end of the delay", List.of(200), new Sent(3_500, GET)),
        row("a request with keep-alive", List.of(200), new Sent(1_000, keepAlive)),
        row("a request with close", List.of(200), new Sent(1_000, close)),
        row("a refused request", List.of(404), new Sent(1_000, head("GET /v1/nothing"))),
        row("a body that is not JSON", List.of(400), new Sent(1_000, post("/v1/sessions", "{"))),
        row("half a head without an end", List.of(), new Sent(3_000, halfHead)),
        row("three requests in a pipeline", List.of(200), new Sent(1_000, GET + GET + GET)),
        row("one and a half requests", List.of(200), new Sent(1_000, GET + halfHead)),
        cut("a head without its end before, the rest during the delay", 60, -1, 1_000),
        cut("half a head before, the rest after the delay", 60, -1, LATE),
        cut("one byte before, the rest after the delay", 1, -1, LATE),
        cut("one byte at the end of the delay, the rest after it", 1, 3_700, LATE),
        cut("a request line at the end of the delay, the rest after it", 28, 3_700, LATE));
  }

  /** Requests that the service has begun to read. */
  static Stream<Row> bodies() {
    var chunked =
        head("POST /v1/sessions", "Content-Type: application/json", "Transfer-Encoding: chunked")
            + "2\r\n{}\r\n";
    var expecting =
        head(
            "POST /v1/sessions",
            "Content-Type: application/json",
            "Content-Length: 2",
            "Expect: 100-continue");
    var waiting =
        post(
            "/v1/tasks",
            "{\"description\":\"a\",\"prompt\":\"b\",\"background\":false}",
            "Prefer: wait=100");
    return Stream.of(
        cut("half a body before, the rest during the delay", SESSION.length() - 3, -1, 1_000),
        cut("half a body before, the rest after the delay", SESSION.length() - 3, -1, LATE),
        cut("half a body during the delay, the rest after it", SESSION.length() - 3, 3_700, LATE),
        row(
            "half a chunked body before, the rest after the delay",
            List.of(201),
            new Sent(-1, chunked),
            new Sent(LATE, "0\r\n\r\n")),
        row(
            "a body that waits for 100 Continue",
            List.of(100, 201),
            new Sent(3_700, expecting),
            new Sent(LATE, "{}")),
        row("a caller that waits for a task", List.of(202), new Sent(-1, waiting)));
  }
}
