package dev.errand.run;

import dev.errand.conversation.TaskId;
import dev.errand.model.EndpointGate;
import dev.errand.model.EndpointGate.Permit;
import dev.errand.session.Lease;
import dev.errand.session.LeaseLost;
import dev.errand.session.ModelCall;
import dev.errand.trace.TraceContext;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A run in this process. It can be asked to yield, and it can lose its session. */
final class Run {

  private final Lease lease;
  private final BooleanSupplier nodeIsTrusted;
  private final long yieldAt;
  private final Set<Future<?>> inFlight = ConcurrentHashMap.newKeySet();
  private volatile @Nullable ModelCall modelCall;
  private @Nullable Permit firstCall;
  private @Nullable TaskId task;
  private boolean moneyIsLimited;
  private volatile boolean lost;
  private volatile boolean toYield;

  /**
   * @param nodeIsTrusted whether this node may rely on its lease; while it may not, the run starts
   *     nothing more (architecture, rule 5)
   */
  Run(Lease lease, Duration yieldAfter, BooleanSupplier nodeIsTrusted) {
    this.lease = lease;
    this.nodeIsTrusted = nodeIsTrusted;
    this.yieldAt = System.nanoTime() + yieldAfter.toNanos();
  }

  Lease lease() {
    return lease;
  }

  /** Returns the model call that was reported as started and not yet as ended. */
  Optional<ModelCall> modelCall() {
    return Optional.ofNullable(modelCall);
  }

  /**
   * @param call null when it was reported as ended
   */
  void calls(@Nullable ModelCall call) {
    modelCall = call;
  }

  /** Returns the task of the session, if there is one. */
  Optional<TaskId> task() {
    return Optional.ofNullable(task);
  }

  void worksOn(TaskId live) {
    task = live;
  }

  /** Returns whether the run may call only models that have a price. */
  boolean moneyIsLimited() {
    return moneyIsLimited;
  }

  void limitsMoney(boolean limits) {
    moneyIsLimited = limits;
  }

  /** Gives the run the right to its first model call; null when it has to ask. */
  void begin(@Nullable Permit permit) {
    firstCall = permit;
  }

  /** Returns the right that the run began with, once, if it is for that endpoint. */
  Optional<Permit> takeFirstCall(EndpointGate gate) {
    var permit = takeFirstCall();
    permit.filter(first -> !first.isOf(gate)).ifPresent(Permit::close);
    return permit.filter(first -> first.isOf(gate));
  }

  /** Returns the right that the run began with, once. */
  Optional<Permit> takeFirstCall() {
    var permit = firstCall;
    firstCall = null;
    return Optional.ofNullable(permit);
  }

  /** Stops the run: its current work is interrupted, and it starts nothing more. Idempotent. */
  void lose() {
    lost = true;
    inFlight.forEach(work -> work.cancel(true));
  }

  /** Ends the run at its next turn boundary. */
  void askToYield() {
    toYield = true;
  }

  /**
   * Returns whether the loop ends {@code Interrupted} at the next turn boundary.
   *
   * @throws LeaseLost the run lost its session
   */
  boolean shouldYield() {
    if (lost) {
      throw new LeaseLost(lease);
    }
    return toYield || System.nanoTime() - yieldAt > 0;
  }

  /**
   * Ensures that this run owns its session, before a tool call starts.
   *
   * @throws LeaseLost the run lost its session, or this node may not rely on its lease
   */
  void ensureOwned() {
    if (lost || !nodeIsTrusted.getAsBoolean()) {
      throw new LeaseLost(lease);
    }
  }

  /**
   * Pauses this run.
   *
   * @throws LeaseLost the run lost its session in the meantime
   */
  void pause(Duration duration) {
    interruptibly(() -> {
      Thread.sleep(duration);
      return duration;
    });
  }

  /**
   * Waits before a write is repeated, also while this node may not rely on its lease: the fence
   * decides about the write.
   *
   * @return whether the wait was interrupted because the process stops
   * @throws LeaseLost the run lost its session
   */
  boolean isInterruptedIn(Duration pause) {
    var ignored = shouldYield();
    return isThreadInterruptedIn(pause);
  }

  /** Waits, and returns whether the wait was interrupted because the process stops. */
  static boolean isThreadInterruptedIn(Duration pause) {
    try {
      Thread.sleep(pause);
      return false;
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /**
   * Does something long – a model call, a tool – on a thread of its own, and interrupts that thread
   * when the run loses its session. The run's own thread is never interrupted, because an interrupt
   * would break its database connection.
   *
   * @throws LeaseLost the run lost its session in the meantime
   */
  <T> T interruptibly(Callable<T> work) {
    var future = new FutureTask<>(TraceContext.carried(work));
    inFlight.add(future);
    try {
      ensureOwned();
      Thread.ofVirtual().start(future);
      return future.get();
    } catch (CancellationException cancelled) {
      throw new LeaseLost(lease);
    } catch (ExecutionException fault) {
      throw fault.getCause() instanceof RuntimeException known
          ? known
          : new CompletionException(fault.getCause());
    } catch (InterruptedException stopping) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new CompletionException(stopping);
    } finally {
      inFlight.remove(future);
    }
  }
}
