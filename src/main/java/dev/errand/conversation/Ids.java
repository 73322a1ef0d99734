package dev.errand.conversation;

import com.github.f4b6a3.uuid.UuidCreator;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Creates all ids: UUIDs of version 7, so that later ids of a node sort after earlier ones. The
 * last byte, which is random in other UUIDs and does not count for the order, is the number of the
 * cell: one database with its nodes. So the last two digits of a public id say which cell has it,
 * and a proxy in front of several cells can route by them.
 */
@Singleton
public class Ids {

  private static final int HIGHEST_CELL = 0xff;

  private static volatile int cell;

  /** Creates an id. */
  public static UUID next() {
    var id = UuidCreator.getTimeOrderedEpoch();
    return new UUID(
        id.getMostSignificantBits(), (id.getLeastSignificantBits() & ~(long) HIGHEST_CELL) | cell);
  }

  void configure(
      @Observes @Priority(-2) StartupEvent start,
      @ConfigProperty(name = "errand.cell", defaultValue = "0") int number) {
    if (number < 0 || number > HIGHEST_CELL) {
      throw new ConfigurationException(
          "errand.cell must be a whole number from 0 to %d, and is %d"
              .formatted(HIGHEST_CELL, number));
    }
    cell = number;
  }
}
