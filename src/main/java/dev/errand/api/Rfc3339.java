package dev.errand.api;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * Instants as in RFC 3339, whose years have four digits. PostgreSQL cannot store all other years.
 */
final class Rfc3339 {

  private static final int MAX_YEAR = 9999;

  private Rfc3339() {}

  /**
   * @throws DateTimeException the text is not such an instant
   */
  static Instant instant(String text) {
    var time = OffsetDateTime.parse(text).withOffsetSameInstant(ZoneOffset.UTC);
    if (time.getYear() < 0 || time.getYear() > MAX_YEAR) {
      throw new DateTimeException("the year does not have four digits");
    }
    return time.toInstant();
  }
}
