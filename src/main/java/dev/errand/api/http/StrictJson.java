package dev.errand.api.http;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.quarkus.jackson.ObjectMapperCustomizer;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Configures JSON: unknown fields, duplicate fields and values of another type are refused, and no
 * text that PostgreSQL cannot store is written.
 */
@Singleton
class StrictJson implements ObjectMapperCustomizer {

  /** Above what can be read, so that a value that is stored can be written as part of a list. */
  private static final int MAX_WRITTEN_DEPTH = StreamReadConstraints.DEFAULT_MAX_DEPTH + 100;

  @Override
  @SuppressWarnings(
      "deprecation") // the alternative builds a new mapper; this one belongs to the container
  public void customize(ObjectMapper mapper) {
    mapper.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    mapper.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    mapper.enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);
    mapper.disable(MapperFeature.ALLOW_COERCION_OF_SCALARS);
    mapper.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT);
    for (var shape :
        new CoercionInputShape[] {
          CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean
        }) {
      mapper.coercionConfigFor(LogicalType.Textual).setCoercion(shape, CoercionAction.Fail);
    }
    mapper.getFactory().setCharacterEscapes(new NulEscapes());
    mapper
        .getFactory()
        .setStreamWriteConstraints(
            StreamWriteConstraints.builder().maxNestingDepth(MAX_WRITTEN_DEPTH).build());
  }

  /** Replaces NUL, which PostgreSQL cannot store in a text, by the replacement character. */
  private static final class NulEscapes extends CharacterEscapes {

    private static final long serialVersionUID = 1;
    private static final SerializedString REPLACEMENT = new SerializedString("\\ufffd");

    private final int[] ascii = CharacterEscapes.standardAsciiEscapesForJSON();

    NulEscapes() {
      ascii[0] = CharacterEscapes.ESCAPE_CUSTOM;
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
}
