package dev.errand.tool.web;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.jsoup.Jsoup;

/** A service that searches the web: how it is asked, and how its answer is read. */
public enum SearchBackend {

  /**
   * {@code GET <instance>/search?q=…&format=json} answers {@code {results: [{title, url,
   * content}]}}.
   */
  SEARXNG("SearXNG") {
    @Override
    Optional<String> defaultUrl() {
      return Optional.empty();
    }

    @Override
    boolean needsKey() {
      return false;
    }

    @Override
    HttpGet request(String url, String query, int limit) {
      var base = url.replaceFirst("(/search)?/*$", "/search");
      return get(base + "?format=json&q=" + encoded(query));
    }

    @Override
    void authenticate(HttpGet request, String key) {
      request.setHeader("Authorization", "Bearer " + key);
    }

    @Override
    List<SearchResult> read(JsonNode answer) {
      return results(answer.path("results"), "content");
    }

    @Override
    String refused() {
      return "the instance must allow the format json (search.formats), and a proxy before it the"
          + " key in errand.tools.websearch.api-key";
    }
  },

  /** Answers {@code {web: {results: [{title, url, description}]}}}; the words can contain HTML. */
  BRAVE("Brave Search") {
    @Override
    Optional<String> defaultUrl() {
      return Optional.of("https://api.search.brave.com/res/v1/web/search");
    }

    @Override
    boolean needsKey() {
      return true;
    }

    @Override
    HttpGet request(String url, String query, int limit) {
      return get(url + "?text_decorations=false&count=" + limit + "&q=" + encoded(query));
    }

    @Override
    void authenticate(HttpGet request, String key) {
      request.setHeader("X-Subscription-Token", key);
    }

    @Override
    List<SearchResult> read(JsonNode answer) {
      return results(answer.path("web").path("results"), "description").stream()
          .map(found -> new SearchResult(plain(found.title()), found.url(), plain(found.snippet())))
          .toList();
    }

    @Override
    String refused() {
      return "an operator must check errand.tools.websearch.api-key";
    }
  };

  private final String title;

  SearchBackend(String title) {
    this.title = title;
  }

  /** Returns the name for people. */
  String title() {
    return title;
  }

  abstract Optional<String> defaultUrl();

  abstract boolean needsKey();

  abstract HttpGet request(String url, String query, int limit);

  abstract void authenticate(HttpGet request, String key);

  /** Returns the results in an answer; those without a web address are left out. */
  abstract List<SearchResult> read(JsonNode answer);

  /** Returns what to do when a request is refused (401 or 403), as the end of a sentence. */
  abstract String refused();

  private static HttpGet get(String url) {
    var request = new HttpGet(URI.create(url));
    request.setHeader("Accept", "application/json");
    return request;
  }

  private static String encoded(String query) {
    return URLEncoder.encode(query, StandardCharsets.UTF_8);
  }

  private static List<SearchResult> results(JsonNode found, String snippet) {
    return StreamSupport.stream(found.spliterator(), false)
        .map(one ->
            new SearchResult(
                one.path("title").asText(""),
                one.path("url").asText(""),
                one.path(snippet).asText("")))
        .filter(one -> one.url().startsWith("https://") || one.url().startsWith("http://"))
        .toList();
  }

  private static String plain(String html) {
    return Jsoup.parse(html).text();
  }

  /**
   * A result of a search, in the words of others.
   *
   * @param snippet may be empty
   */
  record SearchResult(String title, String url, String snippet) {}
}
