package dev.errand.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** A client that follows the changes of tasks over HTTP while other clients submit them. */
final class Follower implements AutoCloseable {

  private static final long STEP_MS = 20;
  private static final long LIMIT_MS = 30_000;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicLong seen = new AtomicLong();
  private final Set<String> changes;

  /**
   * @param changes the lines of a stream that report a change of a task
   */
  Follower(Set<String> changes) {
    this.changes = changes;
  }

  /** Reads a stream until its end. */
  void follow(String url) {
    var request = HttpRequest.newBuilder(URI.create(url)).build();
    readers.submit(() -> read(request));
  }

  private Void read(HttpRequest request) throws IOException, InterruptedException {
    try (var lines = http.send(request, BodyHandlers.ofLines()).body()) {
      lines.filter(changes::contains).forEach(_ -> seen.incrementAndGet());
    }
    return null;
  }

  /**
   * Waits until this client has read as many changes of a number of tasks as there are.
   *
   * @throws IllegalStateException changes are missing, or there are too many
   */
  void awaitTasks(int tasks) throws InterruptedException {
    var all = (long) tasks * changes.size();
    for (long waited = 0; seen.get() < all && waited < LIMIT_MS; waited += STEP_MS) {
      Thread.sleep(STEP_MS);
    }
    if (seen.get() != all) {
      throw new IllegalStateException(seen + " changes were read, not " + all);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
    readers.shutdownNow();
  }
}
