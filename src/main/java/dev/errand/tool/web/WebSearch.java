package dev.errand.tool.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.egress.CheckedHttp;
import dev.errand.egress.EgressPolicy;
import dev.errand.egress.EgressPolicy.BlockedAddressException;
import dev.errand.egress.EgressRules;
import dev.errand.egress.HostResolver;
import dev.errand.egress.HttpLimits;
import dev.errand.egress.ProxyUse;
import dev.errand.egress.RetryAfter;
import dev.errand.egress.UrlVerdict;
import dev.errand.secret.Secrets;
import dev.errand.setting.Pasted;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.web.SearchBackend.SearchResult;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.NameValuePair;
import org.jspecify.annotations.Nullable;

/** Searches with the configured backend, and keeps results for a while. */
@Singleton
class WebSearch {

  private static final String KEYS = "errand.tools.websearch.";
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final int CONNECTIONS = 16;
  private static final int MAX_BYTES = 2 << 20;
  private static final int MAX_CACHED = 500;
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final @Nullable SearchBackend backend;
  private final String url;
  private final Optional<String> key;
  private final long keepNanos;
  private final LongSupplier nanoTime;
  private final CheckedHttp http;

  private final Map<SearchQuery, CachedResults> cache =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<SearchQuery, CachedResults> eldest) {
          return size() > MAX_CACHED;
        }
      };

  private record SearchQuery(String query, int limit) {}

  private record CachedResults(List<SearchResult> results, long at) {}

  private record SearchAnswer(int status, HttpHeaders headers, byte[] body) {}

  @Inject
  WebSearch(WebSearchConfig config) {
    this(config, HostResolver.SYSTEM, System::nanoTime);
  }

  /**
   * @throws ConfigurationException a setting is missing or wrong
   */
  WebSearch(WebSearchConfig config, HostResolver resolver, LongSupplier nanoTime) {
    var policy = new EgressPolicy(resolver, new EgressRules(false, config.allowPrivate()));
    this.backend = config.backend().orElse(null);
    this.url = backend == null ? "" : url(backend, config, policy);
    this.key = config.apiKey().map(Pasted::plain);
    this.keepNanos = config.cache().toNanos();
    this.nanoTime = nanoTime;
    this.http =
        new CheckedHttp(policy, new HttpLimits(CONNECT, TIMEOUT, CONNECTIONS), ProxyUse.BY_PROXY);
    if (backend != null) {
      checkKey(backend);
    }
    key.ifPresent(Secrets::register);
  }

  /** Creates this bean at the start, so that a wrong setting stops it. */
  void check(@Observes StartupEvent start) {}

  private static String url(SearchBackend backend, WebSearchConfig config, EgressPolicy policy) {
    var url =
        config
            .url()
            .or(backend::defaultUrl)
            .orElseThrow(() ->
                new ConfigurationException(
                    KEYS + "url is required for " + backend.title() + ": the address of it"));
    var problem =
        switch (policy.shape(url)) {
          case UrlVerdict.Allowed allowed ->
              allowed.url().getRawQuery() == null && allowed.url().getRawFragment() == null
                  ? null
                  : "must not have a query or fragment";
          case UrlVerdict.Malformed malformed -> malformed.reason();
          case UrlVerdict.Refused refused -> refused.reason();
        };
    if (problem != null) {
      throw new ConfigurationException(KEYS + "url " + problem);
    }
    return url;
  }

  private void checkKey(SearchBackend searched) {
    if (key.isEmpty() && searched.needsKey()) {
      throw new ConfigurationException(KEYS + "api-key is required for " + searched.title());
    }
    if (key.filter(text -> !text.matches("[!-~]+")).isPresent()) {
      throw new ConfigurationException(
          KEYS + "api-key must consist of visible ASCII characters without spaces");
    }
  }

  boolean isConfigured() {
    return backend != null;
  }

  /**
   * @throws ToolFailure the backend does not answer as it should
   */
  List<SearchResult> search(String query, int limit) throws InterruptedException {
    if (backend == null) {
      throw new ToolFailure(
          "websearch is disabled; an operator can set errand.tools.websearch.backend.");
    }
    var search = new SearchQuery(query, limit);
    var known = cached(search);
    if (known != null) {
      return known;
    }
    var results = ask(backend, search).stream().limit(limit).toList();
    synchronized (cache) {
      cache.put(search, new CachedResults(results, nanoTime.getAsLong()));
    }
    return results;
  }

  private @Nullable List<SearchResult> cached(SearchQuery search) {
    synchronized (cache) {
      var found = cache.get(search);
      return found == null || nanoTime.getAsLong() - found.at() >= keepNanos
          ? null
          : found.results();
    }
  }

  private List<SearchResult> ask(SearchBackend searched, SearchQuery search)
      throws InterruptedException {
    var request = searched.request(url, search.query(), search.limit());
    key.ifPresent(text -> searched.authenticate(request, text));
    try {
      return read(searched, http.exchange(request, TIMEOUT, WebSearch::answer));
    } catch (BlockedAddressException _) {
      throw new ToolFailure(
          searched.title()
              + " has an address that must not be called; an operator can set"
              + " errand.tools.websearch.allow-private.");
    } catch (IOException fault) {
      throw new ToolFailure(
          "%s could not be asked: %s. Try again later."
              .formatted(searched.title(), CheckedHttp.reason(fault)));
    }
  }

  private static SearchAnswer answer(ClassicHttpResponse response) throws IOException {
    var headers =
        Arrays.stream(response.getHeaders())
            .filter(header -> header.getValue() != null)
            .collect(
                Collectors.groupingBy(
                    header -> header.getName().toLowerCase(Locale.ROOT),
                    Collectors.mapping(NameValuePair::getValue, Collectors.toList())));
    var entity = response.getEntity();
    var body = entity == null ? new byte[0] : entity.getContent().readNBytes(MAX_BYTES + 1);
    return new SearchAnswer(response.getCode(), HttpHeaders.of(headers, (_, _) -> true), body);
  }

  private static List<SearchResult> read(SearchBackend searched, SearchAnswer answer) {
    switch (answer.status()) {
      case 200 -> {}
      case 401, 403 ->
          throw new ToolFailure(
              "%s refused the request (HTTP %d): %s."
                  .formatted(searched.title(), answer.status(), searched.refused()));
      case 429 ->
          throw new ToolFailure(
              "%s takes no more searches now (HTTP 429); try again %s."
                  .formatted(
                      searched.title(),
                      RetryAfter.in(answer.headers())
                          .map(wait -> "in " + Math.max(1, wait.toSeconds()) + " s")
                          .orElse("later")));
      default ->
          throw new ToolFailure(
              "%s answered with HTTP %d.".formatted(searched.title(), answer.status()));
    }
    if (answer.body().length > MAX_BYTES) {
      throw new ToolFailure(searched.title() + " answered with more than 2 MiB.");
    }
    try {
      return searched.read(JSON.readTree(answer.body()));
    } catch (JsonProcessingException malformed) {
      throw new ToolFailure(searched.title() + " answered with something that is not JSON.");
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @PreDestroy
  void close() {
    http.close();
  }
}
