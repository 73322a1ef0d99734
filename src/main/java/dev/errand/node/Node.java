package dev.errand.node;

import com.github.f4b6a3.uuid.UuidCreator;
import jakarta.inject.Singleton;
import java.util.UUID;

/** This process. Its id is new at every start, so that nothing refers to an earlier process. */
@Singleton
public class Node {

  private final UUID id = UuidCreator.getTimeOrderedEpoch();
  private final String name = "pid-" + ProcessHandle.current().pid();

  public UUID id() {
    return id;
  }

  String name() {
    return name;
  }

  /** Key of the advisory lock that the node holds while it is connected. */
  static long lockKey(UUID id) {
    return id.getMostSignificantBits();
  }
}
