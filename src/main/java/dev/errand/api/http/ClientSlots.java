package dev.errand.api.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts what each client has at the same time, up to a limit. */
final class ClientSlots {

  private final Map<String, Integer> taken = new ConcurrentHashMap<>();
  private final int max;

  ClientSlots(int max) {
    this.max = max;
  }

  /**
   * Takes a slot, which the caller gives back with {@link #release}.
   *
   * @return false if the client has as many as it may have
   */
  boolean take(String client) {
    if (taken.merge(client, 1, Integer::sum) <= max) {
      return true;
    }
    release(client);
    return false;
  }

  void release(String client) {
    taken.computeIfPresent(client, (_, number) -> number == 1 ? null : number - 1);
  }

  int max() {
    return max;
  }

  /** How many clients have a slot. */
  int clients() {
    return taken.size();
  }
}
