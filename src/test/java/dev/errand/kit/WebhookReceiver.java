package dev.errand.kit;

import static org.awaitility.Awaitility.await;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/** A server that receives webhooks. */
public final class WebhookReceiver implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Post> posts = new ArrayList<>();
  private final Deque<Answer> answers = new ArrayDeque<>();
  private final List<String> refused = new ArrayList<>();

  /**
   * A request that was received.
   *
   * @param headers by their names in lower case
   */
  public record Post(String method, String path, Map<String, List<String>> headers, String body) {

    private static Post read(HttpExchange exchange) throws IOException {
      return new Post(
          exchange.getRequestMethod(),
          exchange.getRequestURI().toString(),
          exchange.getRequestHeaders().entrySet().stream()
              .collect(
                  Collectors.toMap(
                      header -> header.getKey().toLowerCase(Locale.ROOT), Map.Entry::getValue)),
          new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    }

    /** The value of a header that must be present. */
    public String header(String name) {
      var values = headers.get(name.toLowerCase(Locale.ROOT));
      if (values == null) {
        throw new AssertionError("no header " + name + " in " + headers);
      }
      return values.getFirst();
    }
  }

  /**
   * An answer to a request.
   *
   * @param delay before its status
   * @param pause after each byte of its body
   */
  public record Answer(
      int status, Map<String, String> headers, String body, Duration delay, Duration pause) {

    public Answer withHeader(String name, String value) {
      return new Answer(status, Map.of(name, value), body, delay, pause);
    }

    public Answer withBody(String text) {
      return new Answer(status, headers, text, delay, pause);
    }

    public Answer withDelay(Duration time) {
      return new Answer(status, headers, body, time, pause);
    }

    /** Sends the body slowly. */
    public Answer withPause(Duration time) {
      return new Answer(status, headers, body, delay, time);
    }

    private void send(HttpExchange exchange) throws IOException, InterruptedException {
      Thread.sleep(delay);
      headers.forEach(exchange.getResponseHeaders()::add);
      var bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      if (pause.isZero()) {
        exchange.getResponseBody().write(bytes);
        return;
      }
      for (var one : bytes) {
        exchange.getResponseBody().write(one);
        exchange.getResponseBody().flush();
        Thread.sleep(pause);
      }
    }
  }

  public WebhookReceiver() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    answers(status(200));
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  public static Answer status(int status) {
    return new Answer(status, Map.of(), "", Duration.ZERO, Duration.ZERO);
  }

  public static Answer json(String text) {
    return status(200).withHeader("Content-Type", "application/json").withBody(text);
  }

  /** Answers requests with these responses in order; the last one is repeated indefinitely. */
  public synchronized void answers(Answer... all) {
    refused.clear();
    answers.clear();
    answers.addAll(List.of(all));
  }

  /** Refuses posts whose body contains this text; to be called after {@link #answers}. */
  public synchronized void refuses(String text) {
    refused.add(text);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      received(Post.read(exchange)).send(exchange);
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized Answer received(Post post) {
    posts.add(post);
    if (refused.stream().anyMatch(post.body()::contains)) {
      return status(400);
    }
    return answers.size() > 1 ? answers.removeFirst() : answers.getFirst();
  }

  /** The posts received so far, oldest first. */
  public synchronized List<Post> posts() {
    return List.copyOf(posts);
  }

  public List<Post> awaitPosts(int count) {
    await(count + " posts")
        .atMost(Duration.ofSeconds(120))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> posts().size() >= count);
    return posts();
  }

  /** Verifies the signature of a post with the library of the Standard Webhooks specification. */
  public static void verify(Post post, String secret) throws WebhookVerificationException {
    new Webhook(secret).verify(post.body(), post.headers());
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
