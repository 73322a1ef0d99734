package dev.errand.node;

import dev.errand.conversation.Ids;
import jakarta.inject.Singleton;
import java.util.UUID;

/**
 * The process of this service. Its id is new at every start, so that nothing refers to an earlier
 * process.
 */
@Singleton
public class Node {

  private final UUID id = Ids.next();
  private final String name = "pid-" + ProcessHandle.current().pid();

  public UUID id() {
    return id;
  }

  String name() {
    return name;
  }

  /** Returns the key of the advisory lock that the node has while it is connected. */
  static long lockKey(UUID id) {
    return id.getMostSignificantBits();
  }
}
