package dev.errand.model;

import dev.errand.conversation.TextCut;
import dev.errand.model.ModelException.Code;
import java.net.URI;
import java.util.Optional;

/**
 * Where a provider is reached, and how its faults are worded.
 *
 * @param apiKey never appears in a fault or in {@link #toString}
 */
record Endpoint(String provider, URI baseUrl, Optional<String> apiKey) {

  private static final int EXCERPT = 300;

  /** A fault: the sentence is this endpoint's name and {@code did}, what it did. */
  ModelException fault(Code code, String did) {
    return new ModelException(code, sentence(did));
  }

  ModelException fault(Code code, String did, Throwable cause) {
    return new ModelException(code, sentence(did), Optional.empty(), cause);
  }

  String sentence(String did) {
    return this + " " + did;
  }

  /** The beginning of what the provider said, on one line and without the key. */
  String excerpt(String said) {
    var line = apiKey.map(key -> said.replace(key, "***")).orElse(said).strip();
    var flat = line.replaceAll("\\s+", " ");
    return TextCut.withEllipsis(flat, EXCERPT);
  }

  @Override
  public String toString() {
    var port = baseUrl.getPort() < 0 ? "" : ":" + baseUrl.getPort();
    return "%s (%s%s)".formatted(provider, baseUrl.getHost(), port);
  }
}
