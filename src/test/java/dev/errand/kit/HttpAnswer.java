package dev.errand.kit;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.hamcrest.Matcher;
import org.jspecify.annotations.Nullable;

/** The answer of the service under test, and what is expected of it. */
public final class HttpAnswer {

  private final HttpResponse<byte[]> response;
  private @Nullable JsonFields fields;

  HttpAnswer(HttpResponse<byte[]> response) {
    this.response = response;
  }

  /** For the reader: expectations follow. */
  public HttpAnswer then() {
    return this;
  }

  /** For the reader: the test continues with what the answer contains. */
  public HttpAnswer extract() {
    return this;
  }

  public int statusCode() {
    return response.statusCode();
  }

  public HttpAnswer statusCode(int expected) {
    return statusCode(equalTo(expected));
  }

  public HttpAnswer statusCode(Matcher<Integer> expected) {
    return expect("status", statusCode(), expected);
  }

  public HttpHeaders headers() {
    return response.headers();
  }

  /** Null when the answer does not have this header. */
  public @Nullable String header(String name) {
    return headers().firstValue(name).orElse(null);
  }

  public HttpAnswer header(String name, @Nullable String expected) {
    return header(name, equalTo(expected));
  }

  public HttpAnswer header(String name, Matcher<?> expected) {
    return expect(name, header(name), expected);
  }

  public HttpAnswer contentType(String expected) {
    return expect("Content-Type", contentType().split(";")[0], equalTo(expected));
  }

  public String contentType() {
    return headers().firstValue("Content-Type").orElse("");
  }

  public HttpAnswer body(Matcher<String> expected) {
    return expect("body", asString(), expected);
  }

  /** Pairs of paths and matchers; see {@link JsonFields}. */
  public HttpAnswer body(String path, Matcher<?> expected, Object... more) {
    expect(path, fields().at(path), expected);
    for (int pair = 0; pair < more.length; pair += 2) {
      body((String) more[pair], (Matcher<?>) more[pair + 1]);
    }
    return this;
  }

  /** The value at a path of the body; see {@link JsonFields}. Null when there is none. */
  @SuppressWarnings({"unchecked", "NullAway"})
  public <T> T path(String path) {
    return (T) fields().at(path);
  }

  public String asString() {
    return new String(asByteArray(), StandardCharsets.UTF_8);
  }

  public byte[] asByteArray() {
    return response.body();
  }

  public <T> T as(Class<T> type) {
    try {
      return Http.JSON.readValue(response.body(), type);
    } catch (IOException notJson) {
      throw new UncheckedIOException(toString(), notJson);
    }
  }

  private JsonFields fields() {
    var read = fields;
    if (read == null) {
      read = new JsonFields(as(Object.class));
      fields = read;
    }
    return read;
  }

  /** Composes the message only when the expectation is not met: answers may be long. */
  @SuppressWarnings("unchecked")
  private HttpAnswer expect(String what, @Nullable Object value, Matcher<?> expected) {
    if (!expected.matches(value)) {
      assertThat(this + ": " + what, value, (Matcher<Object>) expected);
    }
    return this;
  }

  @Override
  public String toString() {
    var request = response.request();
    return "%s %s was answered with %d %s"
        .formatted(request.method(), request.uri(), statusCode(), asString());
  }
}
