package dev.errand.run;

import dev.errand.conversation.SessionId;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.configuration.MemorySize;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The memory that the runs of this node need, estimated: for each run, and for the conversations
 * that are loaded. A conversation is loaded from the turn boundary until its request is sent, not
 * while the model answers, when at most its compressed request is left. A run that would exceed the
 * limit ends, and its session waits (architecture, rule 18). The only run of a node may exceed it.
 */
@Singleton
class ConversationMemory {

  /**
   * The memory that a run needs while its model answers: its stacks, and the buffers of a
   * connection.
   */
  static final long RUN_BYTES = 40 << 10;

  /** The memory that a character needs while it is loaded, in the transcript and in the request. */
  static final long BYTES_PER_CHAR = 4;

  /** After this time, a session that was refused here runs on another node, or has ended. */
  private static final Duration REMEMBERED = Duration.ofSeconds(5);

  private final long limit;
  private final LongSupplier nanoTime;
  private final Map<Run, Long> reserved = new HashMap<>();
  private final Map<SessionId, RefusedNeed> refused = new HashMap<>();
  private long used;

  private record RefusedNeed(long bytes, long since) {}

  @Inject
  ConversationMemory(RunConfig config, MeterRegistry registry) {
    this(
        config
            .maxMemory()
            .map(MemorySize::asLongValue)
            .orElse(Runtime.getRuntime().maxMemory() / 2),
        System::nanoTime);
    gauge(registry, "errand.runs.memory", this::used);
    gauge(registry, "errand.runs.memory.limit", () -> limit);
  }

  ConversationMemory(long limit, LongSupplier nanoTime) {
    this.limit = limit;
    this.nanoTime = nanoTime;
  }

  private static void gauge(MeterRegistry registry, String name, LongSupplier value) {
    Gauge.builder(name, value::getAsLong)
        .baseUnit("bytes")
        .strongReference(true)
        .register(registry);
  }

  private synchronized long used() {
    return used;
  }

  /**
   * Sets the length of a run's conversation. It is counted until {@link #unload} or {@link
   * #release}.
   *
   * @return false when there is no memory for it, and what is counted is unchanged
   */
  synchronized boolean reserve(Run run, long chars) {
    var before = reserved.getOrDefault(run, 0L);
    var bytes = RUN_BYTES + BYTES_PER_CHAR * chars;
    var others = used - before;
    if (others > 0 && bytes > before && others + bytes > limit) {
      refused.put(run.lease().session(), new RefusedNeed(bytes, nanoTime.getAsLong()));
      return false;
    }
    refused.remove(run.lease().session());
    reserved.put(run, bytes);
    used = others + bytes;
    return true;
  }

  /**
   * Counts a conversation that was unloaded and is loaded again.
   *
   * @return false also when the run has ended
   */
  synchronized boolean reserveAgain(Run run, long chars) {
    return reserved.containsKey(run) && reserve(run, chars);
  }

  /**
   * Releases the memory of a run's conversation, which is unloaded while the run continues.
   * Idempotent.
   *
   * @param kept the bytes of the compressed request, which stay in memory
   */
  synchronized void unload(Run run, long kept) {
    var left = RUN_BYTES + kept;
    reserved.computeIfPresent(
        run,
        (_, bytes) -> {
          used -= bytes - left;
          return left;
        });
  }

  /** Releases the memory of a run that has ended. Idempotent. */
  synchronized void release(Run run) {
    var bytes = reserved.remove(run);
    used -= bytes == null ? 0 : bytes;
  }

  /** Returns whether another task may begin. Sessions that were refused go first. */
  synchronized boolean hasRoom() {
    forgetOld();
    return refused.isEmpty() && used + RUN_BYTES <= limit;
  }

  /** Returns the room for sessions that have waited. */
  synchronized MemoryRoom room() {
    forgetOld();
    return new MemoryRoom(limit - used, used == 0);
  }

  private void forgetOld() {
    var now = nanoTime.getAsLong();
    refused.values().removeIf(entry -> now - entry.since() > REMEMBERED.toNanos());
  }

  private synchronized long needOf(SessionId session) {
    var entry = refused.get(session);
    return entry == null ? RUN_BYTES : entry.bytes();
  }

  private synchronized void stillWaits(SessionId session) {
    refused.computeIfPresent(
        session, (_, entry) -> new RefusedNeed(entry.bytes(), nanoTime.getAsLong()));
  }

  /** Gives the free memory to sessions in the order in which they ask. */
  final class MemoryRoom {

    private long left;
    private boolean isUnused;

    private MemoryRoom(long left, boolean isUnused) {
      this.left = left;
      this.isUnused = isUnused;
    }

    /** Returns whether the session may run. After one that may not, no other one may. */
    boolean take(SessionId session) {
      var need = needOf(session);
      if (need > left && !isUnused) {
        left = 0;
        stillWaits(session);
        return false;
      }
      left -= need;
      isUnused = false;
      return true;
    }
  }
}
