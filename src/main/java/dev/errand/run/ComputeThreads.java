package dev.errand.run;

import dev.errand.conversation.SessionId;
import dev.errand.tool.Tool;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The platform threads for tools that compute, so that they do not starve the rest of the service.
 * Searches have their own, so that reading and writing a file never waits for a search. One session
 * gets at most half of the threads for files and searches once at a time; its other calls wait.
 *
 * <p>The platform cannot open a file without waiting, so a file that becomes a FIFO while it is
 * opened blocks a thread, which no interrupt ends. Another thread takes the place of one that is
 * blocked.
 */
@Singleton
class ComputeThreads {

  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
  private static final int SEARCHES = Math.max(2, PROCESSORS / 2);
  private static final int FILES = Math.max(4, 2 * PROCESSORS);

  /** How many blocked threads of a pool are replaced at the same time. */
  private static final int MAX_REPLACED = 100;

  private final Pool searches;
  private final Pool files;

  ComputeThreads() {
    this(Duration.ofSeconds(30));
  }

  /**
   * @param slow the duration of a call after which its thread is replaced
   */
  ComputeThreads(Duration slow) {
    searches = new Pool("search-", SEARCHES, 1, slow);
    files = new Pool("files-", FILES, FILES / 2, slow);
  }

  /**
   * Runs the work of a session's call on the threads for this load and waits for it; an interrupt
   * of the waiting thread interrupts the work.
   */
  <T> T run(Tool.ToolLoad load, SessionId session, Callable<T> work) throws Exception {
    return switch (load) {
      case WAITS -> work.call();
      case FILES -> files.run(session, work);
      case SEARCH -> searches.run(session, work);
    };
  }

  /** A pool of threads, of which one session may use only some. */
  private static final class Pool {

    private final ThreadPoolExecutor threads;
    private final int size;
    private final int perSession;
    private final Duration slow;
    private final Map<SessionId, Share> shares = new ConcurrentHashMap<>();
    private int replaced;

    Pool(String name, int size, int perSession, Duration slow) {
      this.threads =
          new ThreadPoolExecutor(
              size,
              size,
              0,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              Thread.ofPlatform().daemon().name(name, 1).factory());
      this.size = size;
      this.perSession = perSession;
      this.slow = slow;
    }

    /**
     * The share of a session.
     *
     * @param calls of the session that run or wait
     */
    private record Share(Semaphore free, int calls) {

      Share plus(int more) {
        return new Share(free, calls + more);
      }
    }

    <T> T run(SessionId session, Callable<T> work) throws Exception {
      var share =
          shares.merge(
              session, new Share(new Semaphore(perSession, true), 1), (known, _) -> known.plus(1));
      try {
        share.free().acquire();
        try {
          return await(work);
        } finally {
          share.free().release();
        }
      } finally {
        shares.computeIfPresent(session, (_, known) -> known.calls() == 1 ? null : known.plus(-1));
      }
    }

    private <T> T await(Callable<T> work) throws Exception {
      var call = new ReplaceableCall<>(work);
      var running = threads.submit(call);
      try {
        while (true) {
          try {
            return running.get(slow.toMillis(), TimeUnit.MILLISECONDS);
          } catch (TimeoutException blocked) {
            call.replaceThread();
          }
        }
      } catch (ExecutionException fault) {
        throw fault.getCause() instanceof Exception known ? known : fault;
      } finally {
        running.cancel(true);
        call.replaceThread();
      }
    }

    private synchronized void resize(int change) {
      replaced += change;
      var now = size + Math.min(replaced, MAX_REPLACED);
      threads.setMaximumPoolSize(Math.max(now, threads.getMaximumPoolSize()));
      threads.setCorePoolSize(now);
      threads.setMaximumPoolSize(now);
    }

    /** A call whose thread can be replaced while it runs. */
    private final class ReplaceableCall<T> implements Callable<T> {

      private final Callable<T> work;
      private boolean running;
      private boolean isReplaced;

      ReplaceableCall(Callable<T> work) {
        this.work = work;
      }

      @Override
      public T call() throws Exception {
        begin();
        try {
          return work.call();
        } finally {
          end();
        }
      }

      private synchronized void begin() {
        running = true;
      }

      private synchronized void end() {
        running = false;
        if (isReplaced) {
          resize(-1);
        }
      }

      synchronized void replaceThread() {
        if (running && !isReplaced) {
          isReplaced = true;
          resize(1);
        }
      }
    }
  }
}
