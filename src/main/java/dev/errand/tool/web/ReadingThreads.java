package dev.errand.tool.web;

import dev.errand.tool.ToolFailure;
import dev.errand.tool.web.AnswerReader.WebAnswer;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A few platform threads that parse pages. Some pages take seconds of CPU time, which on a virtual
 * thread would delay all others.
 */
@Singleton
class ReadingThreads {

  private static final int THREADS = 2;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, Thread.ofPlatform().daemon().name("page-reader-", 1).factory());

  /**
   * Parses an answer.
   *
   * @throws ToolFailure the time limit is exceeded; parsing may continue in the background
   */
  PageContent read(URI url, WebAnswer answer, int maxChars, Duration within)
      throws InterruptedException {
    var reading = threads.submit(() -> PageContent.of(url, answer, maxChars));
    try {
      return reading.get(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      throw new ToolFailure("The page was fetched, but reading it takes too long.");
    } catch (ExecutionException broken) {
      throw new IllegalStateException("the page cannot be read", broken.getCause());
    } finally {
      reading.cancel(true);
    }
  }

  @PreDestroy
  void stop() {
    threads.shutdownNow();
  }
}
