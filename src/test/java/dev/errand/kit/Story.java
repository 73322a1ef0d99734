package dev.errand.kit;

import io.quarkus.arc.Arc;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A test of whole paths: it starts without scripts, and afterwards everything must be at rest and
 * the invariants are checked.
 */
public interface Story {

  @BeforeEach
  default void begin() {
    kit().begin();
  }

  @AfterEach
  default void checkInvariants() {
    kit().checkInvariants();
  }

  private static TaskKit kit() {
    return Arc.container().instance(TaskKit.class).get();
  }
}
