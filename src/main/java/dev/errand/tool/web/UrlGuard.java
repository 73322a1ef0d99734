package dev.errand.tool.web;

import dev.errand.egress.EgressPolicy;
import dev.errand.egress.UrlVerdict;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolFailure;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks each URL before it is called, in the form in which it is called: its form, port and host.
 * It looks up no names, so a refusal reveals nothing about the network.
 */
final class UrlGuard {

  private static final int HTTPS = 443;
  private static final int HTTP = 80;

  private final EgressPolicy policy;
  private final HostRules hosts;
  private final Set<Integer> ports;

  UrlGuard(EgressPolicy policy, WebFetchConfig config, UserMessages messages) {
    this.policy = policy;
    this.hosts = new HostRules(config, messages);
    this.ports = new HashSet<>(config.ports());
  }

  /**
   * Checks a URL and returns it in the form in which it is called.
   *
   * @throws ToolFailure the URL must not be called
   */
  URI pass(String asked, ToolContext caller) {
    var url =
        switch (policy.shape(WebAddress.of(asked))) {
          case UrlVerdict.Allowed allowed -> allowed.url();
          case UrlVerdict.Malformed malformed -> throw refused(malformed.reason());
          case UrlVerdict.Refused refused -> throw refused(refused.reason());
        };
    var host = HostRules.plain(url.getHost());
    if (!ports.contains(port(url))) {
      throw refused("must have one of the ports " + ports.stream().sorted().toList());
    }
    hosts
        .refusal(host, caller.session())
        .ifPresent(refusal -> {
          throw refused("the host " + host + " " + refusal);
        });
    var denial = caller.permissions().denial(List.of(WebFetchTool.NAME), host);
    if (denial.isPresent()) {
      throw new ToolFailure(
          "Permission denied: this session may not use %s on %s: %s."
              .formatted(WebFetchTool.NAME, host, denial.get().reason()));
    }
    return URI.create(url.toASCIIString());
  }

  /**
   * Returns the target of a redirect, checked like the first URL.
   *
   * @throws ToolFailure the target is not valid or must not be called
   */
  URI follow(URI from, String location, ToolContext caller) {
    var target = WebAddress.resolve(from, location);
    if (isSecure(from) && !target.startsWith("https:")) {
      throw new ToolFailure(
          "The page redirects from https to another scheme; the redirect was not followed.");
    }
    try {
      return pass(target, caller);
    } catch (ToolFailure refused) {
      throw new ToolFailure(
          "The page redirects to a URL that must not be called. " + refused.getMessage());
    }
  }

  private static int port(URI url) {
    if (url.getPort() >= 0) {
      return url.getPort();
    }
    return isSecure(url) ? HTTPS : HTTP;
  }

  private static boolean isSecure(URI url) {
    return "https".equalsIgnoreCase(url.getScheme());
  }

  private static ToolFailure refused(String reason) {
    return new ToolFailure("url: " + reason);
  }
}
