package dev.errand;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Ends the process at once when it is told to stop before it listens: it has accepted nothing, and
 * no client waits for it. Without this, a stop would wait for the end of the start. The other nodes
 * see a node that was killed.
 */
final class EarlyStop {

  private static final int KILLED = 128;

  /** The handlers of the signals while the service listens. */
  private static final Map<Signal, SignalHandler> LATER = new ConcurrentHashMap<>();

  private EarlyStop() {}

  /** From now on, a signal ends the process at once. */
  static void begin() {
    for (var name : new String[] {"TERM", "INT"}) {
      var signal = new Signal(name);
      LATER.put(signal, Signal.handle(signal, EarlyStop::stop));
    }
  }

  /** From now on, a signal stops the service as usual. Idempotent. */
  static void end() {
    LATER.forEach(Signal::handle);
    LATER.clear();
  }

  /** The embedded server, or the program that creates its database, ends with this process. */
  private static void stop(Signal signal) {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
    Runtime.getRuntime().halt(KILLED + signal.getNumber());
  }
}
