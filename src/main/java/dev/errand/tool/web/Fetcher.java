package dev.errand.tool.web;

import dev.errand.egress.CheckedHttp;
import dev.errand.egress.EgressPolicy;
import dev.errand.egress.HostResolver;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolFailure;
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

/** Gets what is at a URL, and follows where that leads, judging each hop like the first. */
@Singleton
class Fetcher {

  static final int MOST_REDIRECTS = 5;

  private static final Duration CONNECT = Duration.ofSeconds(10);

  /** What is fetched at once; a page takes memory, and others can wait. */
  private static final int CONNECTIONS = 64;

  private static final String ACCEPT =
      "text/html, application/xhtml+xml, text/markdown, text/plain, application/json, */*;q=0.5";

  private final WebFetchConfig config;
  private final UrlGuard gate;
  private final AnswerReader reader;
  private final CheckedHttp http;

  @Inject
  Fetcher(WebFetchConfig config) {
    this(config, HostResolver.SYSTEM);
  }

  Fetcher(WebFetchConfig config, HostResolver names) {
    var policy = new EgressPolicy(names, new EgressPolicy.Rules(false, config.allowPrivate()));
    this.config = config;
    this.gate = new UrlGuard(policy, config);
    this.reader = new AnswerReader(config.maxBytes().asLongValue());
    this.http =
        new CheckedHttp(policy, new CheckedHttp.Limits(CONNECT, config.timeout(), CONNECTIONS));
  }

  /**
   * An answer, and whose it is.
   *
   * @param url the last hop's
   * @param left of the time for all
   */
  record Fetched(URI url, WebAnswer answer, Duration left) {}

  /**
   * @throws ToolFailure a hop is refused, or did not answer
   */
  Fetched get(String asked, Permissions permissions) throws InterruptedException {
    var end = System.nanoTime() + config.timeout().toNanos();
    var url = gate.pass(asked, permissions);
    for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      var answer = exchange(url, Duration.ofNanos(end - System.nanoTime()));
      if (answer.location().isEmpty()) {
        return new Fetched(url, answer, Duration.ofNanos(end - System.nanoTime()));
      }
      url = gate.follow(url, answer.location().get(), permissions);
    }
    throw new ToolFailure("The page redirects more than %d times.".formatted(MOST_REDIRECTS));
  }

  private WebAnswer exchange(URI url, Duration left) throws InterruptedException {
    var request = request(url);
    try {
      return http.exchange(request, left, reader);
    } catch (IOException fault) {
      throw new ToolFailure(words(url, fault));
    }
  }

  private static HttpGet request(URI url) {
    try {
      var request = new HttpGet(url);
      request.setHeader("Accept", ACCEPT);
      request.setHeader("Accept-Encoding", "gzip");
      return request;
    } catch (IllegalArgumentException _) {
      throw new ToolFailure("url: its path must not begin with two slashes");
    }
  }

  /** An unknown host and one that leads inside are told of in the same words. */
  private String words(URI url, IOException fault) {
    var host = HostRules.plain(url.getHost());
    return switch (fault) {
      case UnknownHostException _ ->
          "url: the host " + host + " is unknown or has addresses that must not be called";
      case SocketTimeoutException _ ->
          "%s did not answer completely within %d s.".formatted(host, config.timeout().toSeconds());
      case AnswerReader.UnknownPacking _ -> host + " answered in an encoding that is not known.";
      case ZipException _ -> host + " answered with gzip data that is damaged.";
      default -> "%s could not be fetched: %s.".formatted(host, CheckedHttp.words(fault));
    };
  }

  @PreDestroy
  void close() {
    http.close();
  }
}
