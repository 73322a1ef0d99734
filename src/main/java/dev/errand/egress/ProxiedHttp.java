package dev.errand.egress;

import java.io.IOException;
import java.net.ProxySelector;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.routing.SystemDefaultRoutePlanner;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.io.CloseMode;

/** Sends requests through the proxies of the process, to targets that the caller has checked. */
final class ProxiedHttp {

  private final PoolingHttpClientConnectionManager connections;
  private final CloseableHttpClient http;

  ProxiedHttp(HttpLimits limits) {
    this.connections = CheckedHttp.connections(SystemDefaultDnsResolver.INSTANCE, limits);
    this.http =
        CheckedHttp.client(connections)
            .setRoutePlanner(new SystemDefaultRoutePlanner(ProxySelector.getDefault()))
            .build();
  }

  ClassicHttpResponse open(ProxyServer proxy, HttpHost target, HttpUriRequestBase request)
      throws IOException {
    var context = HttpClientContext.create();
    var login = proxy.login();
    if (login != null) {
      var credentials = new BasicCredentialsProvider();
      credentials.setCredentials(
          new AuthScope(proxy.host(), proxy.port()),
          new UsernamePasswordCredentials(login.user(), login.password().toCharArray()));
      context.setCredentialsProvider(credentials);
    }
    connections.closeExpired();
    return http.executeOpen(target, request, context);
  }

  void close() {
    http.close(CloseMode.IMMEDIATE);
  }
}
