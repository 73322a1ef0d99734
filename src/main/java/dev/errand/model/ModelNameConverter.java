package dev.errand.model;

import java.util.regex.Pattern;
import org.eclipse.microprofile.config.spi.Converter;

/** Reads the name of a model with its provider; anything else stops the start. */
public final class ModelNameConverter implements Converter<String> {

  private static final long serialVersionUID = 1;

  private static final Pattern NAME = Pattern.compile("[^:\\s]+:\\S+");

  @Override
  public String convert(String value) {
    if (!NAME.matcher(value).matches()) {
      throw new IllegalArgumentException("'%s' must be provider:name".formatted(value));
    }
    return value;
  }
}
