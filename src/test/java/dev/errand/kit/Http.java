package dev.errand.kit;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.net.http.HttpClient;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the service under test, written as with RestAssured, which takes more processor time
 * for a request than the service needs to answer it.
 */
public final class Http {

  /** Writes every character beyond ASCII as its escape, each half of a surrogate pair by itself. */
  static final JsonMapper JSON =
      JsonMapper.builder().findAndAddModules().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  private static volatile @Nullable String caller;

  private Http() {}

  /** A request that is still to be completed and sent. */
  public static HttpCall given() {
    return new HttpCall();
  }

  /** Sends a GET request with nothing but this path. */
  public static HttpAnswer get(String path, Object... parameters) {
    return given().get(path, parameters);
  }

  /** A URI of the service. */
  public static URI uri(String path) {
    var base = ConfigProvider.getConfig().getValue("test.url", String.class);
    return URI.create(base.replaceFirst("/$", "") + path);
  }

  /**
   * All later requests that have no key or token of their own have this one.
   *
   * @param key null for none
   */
  static void actAs(@Nullable String key) {
    caller = key;
  }

  static @Nullable String caller() {
    return caller;
  }
}
