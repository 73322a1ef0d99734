package dev.errand.model;

import java.net.URI;
import org.eclipse.microprofile.config.spi.Converter;

/** Reads an absolute http or https URL; anything else stops the start. */
public final class HttpUrlConverter implements Converter<URI> {

  private static final long serialVersionUID = 1;

  @Override
  public URI convert(String value) {
    var url = URI.create(value.strip());
    var http =
        "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
    if (!http || url.getHost() == null) {
      throw new IllegalArgumentException(
          "'%s' is not an http or https URL such as https://host/v1".formatted(value));
    }
    return url;
  }
}
