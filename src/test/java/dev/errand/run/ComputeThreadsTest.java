package dev.errand.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.tool.Tool.Load;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
      for (var load : new Load[] {Load.SEARCH, Load.FILES}) {
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

      assertThat(threads.run(Load.SEARCH, other, () -> "found")).isEqualTo("found");
      assertThat(threads.run(Load.FILES, other, () -> "read")).isEqualTo("read");
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
                          Load.SEARCH,
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
}
