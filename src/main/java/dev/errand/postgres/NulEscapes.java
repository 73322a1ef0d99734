package dev.errand.postgres;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.jackson.ObjectMapperCustomizer;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Lets JSON have U+FFFD in place of U+0000, whose escape PostgreSQL refuses. A half of a surrogate
 * pair cannot be recognised here, because the halves arrive one by one: {@link Json} replaces it,
 * and an answer of the API has its escape. Without these escapes, Jackson would fail at it.
 */
final class NulEscapes extends CharacterEscapes {

  private static final long serialVersionUID = 1;
  private static final SerializedString REPLACEMENT = new SerializedString("\\ufffd");

  private final int[] ascii = CharacterEscapes.standardAsciiEscapesForJSON();

  NulEscapes() {
    ascii[0] = CharacterEscapes.ESCAPE_CUSTOM;
  }

  /** Applies them to the mapper of the service, which {@link Json} copies. */
  @Singleton
  static final class Customizer implements ObjectMapperCustomizer {

    @Override
    public void customize(ObjectMapper mapper) {
      mapper.getFactory().setCharacterEscapes(new NulEscapes());
    }
  }

  @Override
  public int[] getEscapeCodesForAscii() {
    return ascii;
  }

  /** Called for every character beyond ASCII, too; null leaves a character unchanged. */
  @Override
  public @Nullable SerializableString getEscapeSequence(int character) {
    return character == 0 ? REPLACEMENT : null;
  }
}
