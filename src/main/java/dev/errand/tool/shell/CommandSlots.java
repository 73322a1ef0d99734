package dev.errand.tool.shell;

import dev.errand.tool.ToolContext.ToolProgress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Limits how many commands a node runs at the same time, and the memory of all of them. */
final class CommandSlots {

  private final int commands;
  private final long memoryBytes;
  private final Semaphore free;
  private final Map<Slot, Long> used = new ConcurrentHashMap<>();

  CommandSlots(int commands, long memoryBytes) {
    this.commands = commands;
    this.memoryBytes = memoryBytes;
    this.free = new Semaphore(commands, true);
  }

  /** The right to run one command. */
  final class Slot implements AutoCloseable {

    /** Returns which limit of the node is exceeded; only for the command that uses most memory. */
    Optional<String> excess(long bytes) {
      used.put(this, bytes);
      var all = used.values().stream().mapToLong(Long::longValue).sum();
      var isLargest = used.values().stream().allMatch(other -> other <= bytes);
      return all > memoryBytes && isLargest
          ? Optional.of(
              "the commands of this service together use more than %d MB of memory, this one most of it"
                  .formatted(memoryBytes >> 20))
          : Optional.empty();
    }

    @Override
    public void close() {
      used.remove(this);
      free.release();
    }
  }

  /**
   * Waits for a slot in the order of the calls; empty if there is none in time.
   *
   * @param progress is told that the command waits
   */
  Optional<Slot> take(Duration within, ToolProgress progress) throws InterruptedException {
    if (!free.tryAcquire()) {
      progress.said("(waiting: %d other commands are running)\n".formatted(commands));
      if (!free.tryAcquire(within.toNanos(), TimeUnit.NANOSECONDS)) {
        return Optional.empty();
      }
    }
    return Optional.of(new Slot());
  }
}
