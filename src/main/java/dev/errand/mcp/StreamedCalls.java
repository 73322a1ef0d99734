package dev.errand.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.http.ClientLimits;
import dev.errand.http.OpenStreams;
import dev.errand.http.Refusal;
import dev.errand.http.SseWriter;
import dev.errand.mcp.McpMetrics.MessageOutcome;
import dev.errand.postgres.SqlErrors;
import dev.errand.task.IdempotencyStore;
import dev.errand.task.Task;
import dev.errand.task.TaskState;
import dev.errand.task.TaskStopper;
import dev.errand.task.TaskWaiters;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jboss.logging.Logger;

/**
 * Answers calls that wait for the end of a task on a stream. When the client of revision 2026-07-28
 * closes the stream, the task that the call made is cancelled: this is how the protocol cancels a
 * call. The client of an earlier revision may have lost its connection, so its task continues. The
 * stop of this node cancels nothing, and neither does the revocation of the client's key.
 */
@Singleton
class StreamedCalls {

  private static final Duration TO_THE_END = Duration.ofDays(1);
  private static final Logger LOG = Logger.getLogger(StreamedCalls.class);

  private final TaskWaiters waiters;
  private final KnownTasks known;
  private final ToolResults results;
  private final Documents documents;
  private final OpenStreams streams;
  private final ClientLimits limits;
  private final TaskStopper stopper;
  private final IdempotencyStore keys;
  private final McpMetrics metrics;

  StreamedCalls(
      TaskWaiters waiters,
      KnownTasks known,
      ToolResults results,
      Documents documents,
      OpenStreams streams,
      ClientLimits limits,
      TaskStopper stopper,
      IdempotencyStore keys,
      McpMetrics metrics) {
    this.waiters = waiters;
    this.known = known;
    this.results = results;
    this.documents = documents;
    this.streams = streams;
    this.limits = limits;
    this.stopper = stopper;
    this.keys = keys;
    this.metrics = metrics;
  }

  /** Opens the stream of a call; empty when the node or the client has too many. */
  Optional<Response> open(McpCall call, Reply.OnStream open, RoutingContext request) {
    if (streams.areTooMany()) {
      return Optional.empty();
    }
    try {
      var place = limits.waiting(open.limit() == null ? TO_THE_END : open.limit());
      return Optional.of(streams.answer(request, place, writer -> answer(call, open, writer)));
    } catch (Refusal tooMany) {
      return Optional.empty();
    }
  }

  /** The task is accepted, but the call cannot wait for it. */
  Reply.Result started(Reply.OnStream open) {
    return Reply.Result.of(results.started(open.task()));
  }

  private void answer(McpCall call, Reply.OnStream open, SseWriter writer) {
    metrics.opened();
    try {
      if (!isAnswered(call, open, writer)) {
        left(call, open, writer);
      }
    } catch (IOException gone) {
      LOG.debugf(gone, "The client of a call for %s is gone", open.task().id());
      left(call, open, writer);
    } finally {
      metrics.closed();
    }
  }

  /** Waits, and writes the answer; false when the client has left before. */
  private boolean isAnswered(McpCall call, Reply.OnStream open, SseWriter writer)
      throws IOException {
    var pulse = new Pulse(call.progressToken(), writer);
    pulse.begin(open.task());
    var task = awaitEnd(open, pulse, writer);
    if (writer.isClosed()) {
      return false;
    }
    var result = task.map(results::of).orElseGet(StreamedCalls::deleted);
    var isError = result.path("isError").asBoolean();
    writer.message(documents.result(call, result));
    if (writer.isClosed()) {
      return false;
    }
    task.filter(now -> now.outcome().isPresent()).ifPresent(known::received);
    metrics.answered(call.method(), isError ? MessageOutcome.TOOL_ERROR : MessageOutcome.OK);
    return true;
  }

  private static ObjectNode deleted() {
    return ToolResults.text("The task was deleted while this call waited for it.", true);
  }

  /**
   * Waits for the end of the task, the end of the wait, the client or this node.
   *
   * @return the task as it is then; empty when it was deleted
   */
  private Optional<Task> awaitEnd(Reply.OnStream open, Pulse pulse, SseWriter writer)
      throws IOException {
    var startedAt = System.nanoTime();
    var slice = pulse.interval();
    var limit = open.limit();
    var left = limit == null ? slice : limit;
    var task = Optional.of(open.task());
    while (true) {
      task = awaitEnd(task.get(), left.compareTo(slice) < 0 ? left : slice, pulse);
      if (task.isEmpty() || task.get().outcome().isPresent()) {
        return task;
      }
      var passed = Duration.ofNanos(System.nanoTime() - startedAt);
      left = limit == null ? slice : limit.minus(passed);
      if (!left.isPositive() || streams.areStopping() || writer.isClosed()) {
        return again(task.get());
      }
      pulse.beat(task.get());
    }
  }

  /** While the database does not answer, the call waits on. */
  private Optional<Task> awaitEnd(Task task, Duration slice, Pulse pulse) {
    try {
      return waiters.awaitEnd(task.id(), slice) || pulse.tellsProgress()
          ? known.again(task)
          : Optional.of(task);
    } catch (RuntimeException fault) {
      requireTransient(fault);
      LockSupport.parkNanos(slice.toNanos());
      return Optional.of(task);
    }
  }

  private Optional<Task> again(Task task) {
    try {
      return known.again(task);
    } catch (RuntimeException fault) {
      requireTransient(fault);
      return Optional.of(task);
    }
  }

  private static void requireTransient(RuntimeException fault) {
    if (!SqlErrors.isTransient(fault)) {
      throw fault;
    }
    LOG.debug("A call waits on after an error of the database", fault);
  }

  private void left(McpCall call, Reply.OnStream open, SseWriter writer) {
    metrics.answered(call.method(), MessageOutcome.LEFT);
    var made = open.made();
    if (made == null || !call.modern() || streams.areStopping() || writer.isRevoked()) {
      return;
    }
    var isCancelled =
        stopper
            .cancelOwn(open.task().id())
            .filter(task -> task.state() == TaskState.CANCELLED)
            .isPresent();
    if (isCancelled && made.key() != null) {
      keys.free(made.key(), open.task().id());
    }
  }
}
