package dev.errand.node;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A task that each node checks once a second, in addition to hints.
 *
 * @param seconds how much time passes at least between two executions
 * @param wanted whether there is something to do, as far as this process knows; asks neither
 *     database nor disk
 * @param due SQL conditions on tables of its package, one of which is true when there is something
 *     to do: rather too often than too rarely, and answered by an index however many rows have
 *     ended. {@code :node} is this node, {@code now()} the time
 */
public record Sweep(
    String name, int seconds, BooleanSupplier wanted, List<String> due, Runnable action) {

  /** Returns a sweep that runs while the condition on the database is true. */
  public static Sweep whenDue(String name, String due, Runnable action) {
    return new Sweep(name, 1, () -> false, List.of(due), action);
  }

  /** Returns a sweep that runs while the condition on this process is true. */
  public static Sweep whenWanted(String name, BooleanSupplier wanted, Runnable action) {
    return new Sweep(name, 1, wanted, List.of("false"), action);
  }

  /** Returns this sweep, run also while the condition on this process is true. */
  public Sweep orWhenWanted(BooleanSupplier wanted) {
    return new Sweep(name, seconds, wanted, due, action);
  }

  /** Returns this sweep, run also while another condition on the database is true. */
  public Sweep orWhenDue(String condition) {
    var either = Stream.concat(due.stream(), Stream.of(condition)).toList();
    return new Sweep(name, seconds, wanted, either, action);
  }

  /** Returns this sweep, run less often. */
  public Sweep every(int seconds) {
    return new Sweep(name, seconds, wanted, due, action);
  }
}
