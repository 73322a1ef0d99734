package dev.errand.delivery.webhook;

import java.util.HashMap;
import java.util.Map;

/** The number of posts in flight, per host. */
final class InFlightPerHost {

  private final Map<String, Integer> underWay = new HashMap<>();
  private int total;

  synchronized void enter(String lane) {
    underWay.merge(lane, 1, Integer::sum);
    total++;
  }

  synchronized void leave(String lane) {
    int left = underWay.getOrDefault(lane, 1) - 1;
    if (left == 0) {
      underWay.remove(lane);
    } else {
      underWay.put(lane, left);
    }
    total--;
  }

  synchronized Map<String, Integer> underWay() {
    return Map.copyOf(underWay);
  }

  synchronized int total() {
    return total;
  }
}
