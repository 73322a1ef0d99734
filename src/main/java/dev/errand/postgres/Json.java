package dev.errand.postgres;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Values to and from {@code jsonb} columns. What was written by us reads back; anything else is a
 * fault, not an input.
 */
@ApplicationScoped
public class Json {

  private final ObjectMapper mapper;

  Json(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  public String write(Object value) {
    try {
      return mapper.writeValueAsString(value);
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /**
   * For lists and maps of sealed types, whose elements would be written without their type
   * otherwise.
   */
  public <T> String write(T value, TypeReference<T> type) {
    try {
      return mapper.writerFor(type).writeValueAsString(value);
    } catch (JsonProcessingException fault) {
      throw new UncheckedIOException(fault);
    }
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

  /** Null stays null, both ways. */
  public @Nullable String writeNullable(@Nullable Object value) {
    return value == null ? null : write(value);
  }
}
