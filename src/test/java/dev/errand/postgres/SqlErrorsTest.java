package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.hibernate.exception.GenericJDBCException;
import org.jdbi.v3.core.ConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlErrorsTest {

  @ParameterizedTest
  @CsvSource({
    "08006, true",
    "53300, true",
    "57014, true",
    "25006, true",
    "25P03, true",
    "25P04, true",
    "25P02, false",
    "55P03, true",
    "40P01, true",
    "40001, true",
    "0A000, true",
    "26000, true",
    "23505, false",
    "42601, false",
    "22P02, false"
  })
  void stateSaysWhetherALaterAttemptMaySucceed(String state, boolean isTransient) {
    var fault = new IllegalStateException(new SQLException("refused", state));

    assertThat(SqlErrors.isTransient(fault)).isEqualTo(isTransient);
  }

  @Test
  void poolWithoutAFreeConnectionIsTransientForBothWaysIntoTheDatabase() {
    var exhausted = new SQLException("Sorry, acquisition timeout!");

    assertThat(SqlErrors.isTransient(new ConnectionException(exhausted))).isTrue();
    assertThat(SqlErrors.isTransient(new GenericJDBCException("no connection", exhausted)))
        .isTrue();
  }

  @Test
  void otherFaultsAreNotTransient() {
    assertThat(SqlErrors.isTransient(new IllegalStateException("wrong"))).isFalse();
  }
}
