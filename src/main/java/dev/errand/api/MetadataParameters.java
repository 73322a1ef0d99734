package dev.errand.api;

import dev.errand.api.http.Refusal;
import jakarta.ws.rs.core.UriInfo;
import java.util.HashMap;
import java.util.Map;

/** Reads query parameters of the form {@code metadata.<key>=<value>}. */
final class MetadataParameters {

  private static final String PREFIX = "metadata.";
  private static final int MAX_KEYS = 10;

  private MetadataParameters() {}

  /**
   * The expected values by key; the first one of a key that is given several times.
   *
   * @throws Refusal there are more than 10 keys
   */
  static Map<String, String> in(UriInfo request) {
    var expected = new HashMap<String, String>();
    request
        .getQueryParameters()
        .forEach((name, values) -> {
          if (name.startsWith(PREFIX)) {
            expected.put(name.substring(PREFIX.length()), values.getFirst());
          }
        });
    if (expected.size() > MAX_KEYS) {
      throw Refusal.invalid(PREFIX + "<key>", "must be given for at most " + MAX_KEYS + " keys");
    }
    return expected;
  }
}
