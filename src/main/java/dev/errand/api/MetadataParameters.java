package dev.errand.api;

import jakarta.ws.rs.core.UriInfo;
import java.util.HashMap;
import java.util.Map;

/** Reads query parameters of the form {@code metadata.<key>=<value>}. */
final class MetadataParameters {

  private static final String PREFIX = "metadata.";

  private MetadataParameters() {}

  /** The expected values by key; the first one of a key that is given several times. */
  static Map<String, String> in(UriInfo request) {
    var expected = new HashMap<String, String>();
    request
        .getQueryParameters()
        .forEach((name, values) -> {
          if (name.startsWith(PREFIX)) {
            expected.put(name.substring(PREFIX.length()), values.getFirst());
          }
        });
    return expected;
  }
}
