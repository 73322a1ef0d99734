package dev.errand.postgres;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to and from {@code jsonb} columns. The columns contain only what this service
 * wrote, so that unreadable JSON is a defect and not invalid input.
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

  /** For lists and maps of sealed types, so that each element is written with its type. */
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

  /** Like {@link #write}; null gives null. */
  public @Nullable String writeNullable(@Nullable Object value) {
    return value == null ? null : write(value);
  }
}
