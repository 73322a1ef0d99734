package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

@QuarkusTest
class LongReadsDbTest {

  @Inject LongReads reads;
  @Inject Jdbi jdbi;

  private record Limits(String statement, int socketMillis) {}

  @Test
  void readMayTakeAMinute() {
    assertThat(reads.read(LongReadsDbTest::limits)).isEqualTo(new Limits("1min", 65_000));
  }

  /** Repeated until the pool, which others use too, gives the same connection again. */
  @Test
  void laterStatementsOfTheConnectionHaveTheUsualLimits() {
    await()
        .pollInSameThread()
        .until(() -> {
          var pid = reads.read(LongReadsDbTest::pid);
          return jdbi.withHandle(handle -> {
            var isSame = pid(handle) == pid;
            if (isSame) {
              assertThat(limits(handle)).isEqualTo(new Limits("10s", 15_000));
            }
            return isSame;
          });
        });
  }

  private static int pid(Handle handle) {
    return handle.createQuery("select pg_backend_pid()").mapTo(Integer.class).one();
  }

  private static Limits limits(Handle handle) {
    try {
      var statement = handle.createQuery("show statement_timeout").mapTo(String.class).one();
      return new Limits(statement, handle.getConnection().getNetworkTimeout());
    } catch (SQLException fault) {
      throw new IllegalStateException(fault);
    }
  }
}
