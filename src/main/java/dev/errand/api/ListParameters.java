package dev.errand.api;

import dev.errand.http.Refusal;
import dev.errand.view.Listing;
import dev.errand.view.Listing.Order;
import dev.errand.view.Period;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.UriInfo;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The query parameters that lists have in common. */
class ListParameters {

  private static final String METADATA = "metadata.";
  private static final int MAX_METADATA_KEYS = 10;

  @QueryParam("created_after")
  public @Nullable String createdAfter;

  @QueryParam("created_before")
  public @Nullable String createdBefore;

  @QueryParam("sort")
  public @Nullable String sort;

  /**
   * @throws Refusal one of the bounds is not an instant
   */
  Period created() {
    return new Period(
        instant("created_after", createdAfter), instant("created_before", createdBefore));
  }

  /**
   * @param cursor the id of the last item of the previous page
   * @throws Refusal the order is unknown
   */
  Listing page(@Nullable UUID cursor, int limit) {
    return new Listing(order(), cursor, limit);
  }

  /**
   * Returns the expected values by key of {@code metadata.<key>=<value>}; the first one of a key
   * that is given several times.
   *
   * @throws Refusal there are more than 10 keys
   */
  static Map<String, String> metadata(UriInfo request) {
    var expected = new HashMap<String, String>();
    request
        .getQueryParameters()
        .forEach((name, values) -> {
          if (name.startsWith(METADATA)) {
            expected.put(name.substring(METADATA.length()), values.getFirst());
          }
        });
    if (expected.size() > MAX_METADATA_KEYS) {
      throw Refusal.invalid(
          METADATA + "<key>", "must be given for at most " + MAX_METADATA_KEYS + " keys");
    }
    return expected;
  }

  private Order order() {
    return switch (sort) {
      case null -> Order.NEWEST_FIRST;
      case "-created_at" -> Order.NEWEST_FIRST;
      case "created_at" -> Order.OLDEST_FIRST;
      default -> throw Refusal.invalid("sort", "must be created_at or -created_at");
    };
  }

  static @Nullable Instant instant(String name, @Nullable String text) {
    try {
      return text == null ? null : Rfc3339.instant(text);
    } catch (DateTimeException notAnInstant) {
      throw Refusal.invalid(
          name, "must be an instant as in RFC 3339, for example 2026-01-31T12:00:00Z");
    }
  }
}
