package dev.errand.tool.web;

import dev.errand.egress.CheckedHttp;
import dev.errand.egress.EgressPolicy;
import dev.errand.egress.EgressRules;
import dev.errand.egress.HostResolver;
import dev.errand.egress.HttpLimits;
import dev.errand.egress.ProxyUse;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import dev.errand.tool.web.AnswerReader.WebAnswer;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.zip.ZipException;
import org.apache.hc.client5.http.classic.methods.HttpGet;

/** Fetches a URL and follows redirects, checking each hop like the first one. */
@Singleton
class Fetcher {

  static final int MAX_REDIRECTS = 5;

  private static final Duration CONNECT = Duration.ofSeconds(10);

  /** The number of concurrent requests, limited because pages take memory. */
  private static final int CONNECTIONS = 64;

  private static final String ACCEPT =
      "text/html, application/xhtml+xml, text/markdown, text/plain, application/json, */*;q=0.5";

  private final WebFetchConfig config;
  private final UrlGuard guard;
  private final AnswerReader reader;
  private final CheckedHttp http;

  @Inject
  Fetcher(WebFetchConfig config, UserMessages messages) {
    this(config, messages, HostResolver.SYSTEM);
  }

  Fetcher(WebFetchConfig config, UserMessages messages, HostResolver resolver) {
    var policy = new EgressPolicy(resolver, new EgressRules(false, config.allowPrivate()));
    this.config = config;
    this.guard = new UrlGuard(policy, config, messages);
    this.reader = new AnswerReader(config.maxBytes().asLongValue());
    this.http =
        new CheckedHttp(
            policy,
            new HttpLimits(CONNECT, config.timeout(), CONNECTIONS),
            config.proxy() ? ProxyUse.BY_PROXY : ProxyUse.DIRECT);
  }

  /**
   * An answer and its origin.
   *
   * @param url the URL of the last hop
   * @param left the time that is left
   */
  record FetchedPage(URI url, WebAnswer answer, Duration left) {}

  /**
   * @throws ToolFailure a hop is refused or does not answer
   */
  FetchedPage get(String asked, ToolContext caller) throws InterruptedException {
    var end = System.nanoTime() + config.timeout().toNanos();
    var url = guard.pass(asked, caller);
    for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      var answer = exchange(url, Duration.ofNanos(end - System.nanoTime()));
      var location = answer.location();
      if (location == null) {
        return new FetchedPage(url, answer, Duration.ofNanos(end - System.nanoTime()));
      }
      url = guard.follow(url, location, caller);
    }
    throw new ToolFailure("The page redirects more than %d times.".formatted(MAX_REDIRECTS));
  }

  private WebAnswer exchange(URI url, Duration left) throws InterruptedException {
    var request = request(url);
    try {
      return http.exchange(request, left, reader);
    } catch (IOException fault) {
      throw new ToolFailure(message(url, fault));
    }
  }

  private static HttpGet request(URI url) {
    var request = new HttpGet(url);
    request.setHeader("Accept", ACCEPT);
    request.setHeader("Accept-Encoding", "gzip");
    return request;
  }

  /** The message is the same for an unknown host and for a private one. */
  private String message(URI url, IOException fault) {
    var host = HostRules.plain(url.getHost());
    return switch (fault) {
      case UnknownHostException _ ->
          "url: the host " + host + " is unknown or has addresses that must not be called";
      case SocketTimeoutException _ ->
          "%s did not answer completely within %d s.".formatted(host, config.timeout().toSeconds());
      case AnswerReader.UnknownEncoding _ -> host + " answered with an unknown content encoding.";
      case ZipException _ -> host + " answered with damaged gzip data.";
      default -> "%s could not be fetched: %s.".formatted(host, CheckedHttp.reason(fault));
    };
  }

  @PreDestroy
  void close() {
    http.close();
  }
}
