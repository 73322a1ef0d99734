package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.TaskKit;
import dev.errand.kit.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TestDatabaseDbTest {

  @Inject TaskKit kit;

  @Test
  void sessionsOfTheTestDatabaseAreFarFromUtc() {
    assertThat(kit.row("show timezone", String.class)).isEqualTo(TestDatabase.TIME_ZONE);
  }

  @Test
  void instantsDoNotDependOnTheTimeZone() {
    var parent = kit.externalSession();
    var createdAt = "select created_at from session where id = '%s'".formatted(parent.value());

    assertThat(kit.row(createdAt, Instant.class))
        .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
  }

  @Test
  void statementsAndLocksTimeOut() {
    assertThat(kit.row("show statement_timeout", String.class)).isEqualTo("10s");
    assertThat(kit.row("show lock_timeout", String.class)).isEqualTo("2s");
    assertThat(kit.row("show idle_in_transaction_session_timeout", String.class)).isEqualTo("10s");
  }
}
