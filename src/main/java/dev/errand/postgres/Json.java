package dev.errand.postgres;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.secret.Secrets;
import jakarta.inject.Singleton;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to and from {@code jsonb} columns. The columns contain only what this service
 * wrote, so that unreadable JSON is a defect and not invalid input. A newer version may have
 * written more than this one knows, because both run during an upgrade: unknown fields are ignored,
 * and values of an unknown kind are read as absent.
 */
@Singleton
public class Json {

  private final ObjectMapper mapper;
  private final ObjectReader plain;

  /**
   * @param mapper of the API, which refuses what it does not know
   */
  Json(ObjectMapper mapper) {
    this.mapper =
        mapper
            .copy()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_INVALID_SUBTYPE)
            .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL);
    this.mapper.getFactory().setStreamWriteConstraints(StreamWriteConstraints.defaults());
    this.plain =
        this.mapper
            .reader()
            .with(JsonNodeFactory.withExactBigDecimals(true))
            .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  }

  /** Secrets are masked, and what PostgreSQL cannot store is replaced. */
  public String write(Object value) {
    try {
      return StorableText.of(masked(mapper.writeValueAsString(value)));
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Writes lists and maps of sealed types, so that each element is written with its type. */
  public <T> String write(T value, TypeReference<T> type) {
    try {
      return StorableText.of(masked(mapper.writerFor(type).writeValueAsString(value)));
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** A secret may look like a part of an escaped character, so values are masked, not the JSON. */
  private String masked(String json) throws JsonProcessingException {
    return Secrets.occurIn(json)
        ? mapper.writeValueAsString(Secrets.masked(plain.readTree(json)))
        : json;
  }

  public <T> T read(String json, TypeReference<T> type) {
    try {
      return mapper.readValue(json, type);
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  public <T> T read(String json, Class<T> type) {
    try {
      return mapper.readValue(json, type);
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Reads a value of a type with several kinds; empty when this version does not know its kind. */
  public <T> Optional<T> readKnown(String json, Class<T> type) {
    return Optional.ofNullable(read(json, type));
  }

  /** Reads a JSON text; null gives null. */
  public @Nullable JsonNode readTree(@Nullable String json) {
    return json == null ? null : read(json, JsonNode.class);
  }

  /** Reads a value that is shown, with decimal numbers as they were written: no exponents. */
  public <T> T readPlain(String json, Class<T> type) {
    try {
      return plain.forType(type).readValue(json);
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Reads a value as {@link #readKnown(String, Class)} does. */
  public <T> Optional<T> readKnown(JsonNode json, Class<T> type) {
    try {
      return Optional.ofNullable(mapper.treeToValue(json, type));
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** Writes a value as {@link #write} does; null gives null. */
  public @Nullable String writeNullable(@Nullable Object value) {
    return value == null ? null : write(value);
  }
}
