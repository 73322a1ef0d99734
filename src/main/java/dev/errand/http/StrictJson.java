package dev.errand.http;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.quarkus.jackson.ObjectMapperCustomizer;
import jakarta.inject.Singleton;

/** Configures JSON: unknown fields, duplicate fields and values of another type are refused. */
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
    mapper
        .getFactory()
        .setStreamWriteConstraints(
            StreamWriteConstraints.builder().maxNestingDepth(MAX_WRITTEN_DEPTH).build());
  }
}
