package dev.errand.run;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.tool.Tool.ToolLoad;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** One session cannot take the threads of the others. */
@Timeout(120)
class ComputeThreadsTest {

  private final ComputeThreads threads = new ComputeThreads();
  private final CountDownLatch end = new CountDownLatch(1);

  @Test
  void searchesAndReadsOfOneSessionLeaveRoomForOthers() throws Exception {
    var greedy = SessionId.next();
    var other = SessionId.next();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      var begun = new CountDownLatch(2);
      for (var load : new ToolLoad[] {ToolLoad.SEARCH, ToolLoad.FILES}) {
        IntStream.range(0, 50)
            .forEach(_ ->
                callers.submit(() ->
                    threads.run(
                        load,
                        greedy,
                        () -> {
                          begun.countDown();
                          end.await();
                          return true;
                        })));
      }
      begun.await();

      assertThat(threads.run(ToolLoad.SEARCH, other, () -> "found")).isEqualTo("found");
      assertThat(threads.run(ToolLoad.FILES, other, () -> "read")).isEqualTo("read");
      end.countDown();
    }
  }

  @Test
  void sessionSearchesOnceAtATime() throws Exception {
    var session = SessionId.next();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = new AtomicInteger();
      var searches =
          IntStream.range(0, 20)
              .mapToObj(_ ->
                  callers.submit(() ->
                      threads.run(
                          ToolLoad.SEARCH,
                          session,
                          () -> {
                            var now = running.incrementAndGet();
                            Thread.yield();
                            running.decrementAndGet();
                            return now;
                          })))
              .toList();

      for (var search : searches) {
        assertThat(search.get()).isEqualTo(1);
      }
    }
  }

  /**
   * A FIFO that no process writes to blocks the thread that opens it; an interrupt does not help.
   */
  @Test
  @EnabledOnOs(OS.LINUX)
  void blockedThreadsAreReplaced(@TempDir Path folder) throws Exception {
    var fifo = folder.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    var many = 4 * Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
    var impatient = new ComputeThreads(Duration.ofMillis(50));
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      var opening = new CountDownLatch(many);
      var blocked =
          IntStream.range(0, many)
              .mapToObj(_ ->
                  callers.submit(() ->
                      impatient.run(
                          ToolLoad.FILES,
                          SessionId.next(),
                          () -> {
                            opening.countDown();
                            return Files.readString(fifo);
                          })))
              .toList();
      opening.await();

      assertThat(impatient.run(ToolLoad.FILES, SessionId.next(), () -> "read")).isEqualTo("read");
      blocked.subList(0, many / 2).forEach(call -> call.cancel(true));
      assertThat(impatient.run(ToolLoad.FILES, SessionId.next(), () -> "read")).isEqualTo("read");
      while (!blocked.stream().allMatch(Future::isDone)) {
        FileChannel.open(fifo, READ, WRITE).close();
      }
    }
  }
}
