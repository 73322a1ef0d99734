package dev.errand.model;

import java.net.URI;
import org.eclipse.microprofile.config.spi.Converter;

/** Reads an absolute http or https address; anything else stops the start-up. */
public final class HttpUrlConverter implements Converter<URI> {

  private static final long serialVersionUID = 1;

  @Override
  public URI convert(String value) {
    var url = URI.create(value.strip());
    var http =
        "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
    if (!http || url.getHost() == null) {
      throw new IllegalArgumentException(
          "'%s' is no http or https address such as https://host/v1".formatted(value));
    }
    return url;
  }
}
