package dev.errand.model;

import dev.errand.conversation.TextCut;
import dev.errand.model.ModelException.Code;
import dev.errand.secret.Secrets;
import dev.errand.tenant.ProviderCredentials;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint of a provider. Creates the messages of its faults.
 *
 * @param baseUrl what the paths of the API are added to; its query is part of each request
 * @param own the tenant's credentials; null for those of the service
 * @param apiKey null if the endpoint needs none; never part of a fault or of {@link #toString}
 */
record Endpoint(
    String provider, URI baseUrl, @Nullable String apiKey, @Nullable ProviderCredentials own) {

  private static final int EXCERPT_CHARS = 300;

  /** Returns the base URL without its query. */
  String address() {
    return baseUrl.toString().replaceFirst("\\?.*", "");
  }

  /**
   * Returns the URL of a call whose address begins with {@link #address}: with the query, if there
   * is one.
   */
  URI target(String url) {
    var query = baseUrl.getRawQuery();
    return URI.create(query == null ? url : url + "?" + query);
  }

  /** Creates a fault whose message is the name of this endpoint and {@code did}, what it did. */
  ModelException fault(Code code, String did) {
    return new ModelException(code, sentence(did));
  }

  ModelException fault(Code code, String did, Throwable cause) {
    return new ModelException(code, sentence(did), Optional.empty(), cause);
  }

  String sentence(String did) {
    return this + " " + did;
  }

  /** Returns the beginning of a text of the provider, on one line and without the key. */
  String excerpt(String text) {
    var line = Secrets.masked(apiKey == null ? text : text.replace(apiKey, Secrets.MASK)).strip();
    var flat = line.replaceAll("\\s+", " ");
    return TextCut.withEllipsis(flat, EXCERPT_CHARS);
  }

  @Override
  public String toString() {
    var port = baseUrl.getPort() < 0 ? "" : ":" + baseUrl.getPort();
    return "%s (%s%s)".formatted(provider, baseUrl.getHost(), port);
  }
}
