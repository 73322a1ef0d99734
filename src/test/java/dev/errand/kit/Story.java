package dev.errand.kit;

import io.quarkus.arc.Arc;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A test on whole paths: starts with no scripts, and must leave everything at rest and in order.
 */
public interface Story {

  @BeforeEach
  default void begin() {
    kit().begin();
  }

  @AfterEach
  default void everythingIsInOrder() {
    kit().checkInvariants();
  }

  private static TaskKit kit() {
    return Arc.container().instance(TaskKit.class).get();
  }
}
