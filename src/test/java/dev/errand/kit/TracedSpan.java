package dev.errand.kit;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A span that a collector received. Ids are hexadecimal; the parent of a root span is empty.
 *
 * @param links the ids of the traces that the span links to
 * @param asText the whole span as text, to search for content that must not be exported
 */
public record TracedSpan(
    String traceId,
    String id,
    String parent,
    String name,
    Span.SpanKind kind,
    Map<String, String> attributes,
    List<String> links,
    long startedAt,
    String asText) {

  static TracedSpan of(Span span) {
    return new TracedSpan(
        hex(span.getTraceId()),
        hex(span.getSpanId()),
        hex(span.getParentSpanId()),
        span.getName(),
        span.getKind(),
        span.getAttributesList().stream()
            .collect(Collectors.toMap(KeyValue::getKey, TracedSpan::value)),
        span.getLinksList().stream().map(link -> hex(link.getTraceId())).toList(),
        span.getStartTimeUnixNano(),
        span.toString());
  }

  private static String value(KeyValue attribute) {
    var value = attribute.getValue();
    return value.hasIntValue() ? Long.toString(value.getIntValue()) : value.getStringValue();
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }
}
