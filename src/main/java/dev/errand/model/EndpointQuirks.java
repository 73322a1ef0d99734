package dev.errand.model;

import dev.errand.model.Dialect.CalledModel;
import dev.errand.tenant.ProviderCredentials;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The changes of requests for endpoints that refuse them as they are. A node learns this from
 * refusals of its own calls, and forgets it when it stops.
 */
final class EndpointQuirks {

  private static final Logger LOG = Logger.getLogger(EndpointQuirks.class);

  private static final int MOST_MODELS = 1_000;

  /**
   * @param own the credentials of a tenant, whose endpoints change nothing for others; null for
   *     those of the service
   */
  private record QuirkKey(URI baseUrl, @Nullable ProviderCredentials own, String model) {

    static QuirkKey of(CalledModel called) {
      var endpoint = called.endpoint();
      return new QuirkKey(endpoint.baseUrl(), endpoint.own(), called.model());
    }
  }

  private final Map<QuirkKey, RequestChanges> learned = new LinkedHashMap<>(16, 0.75f, true);

  /** Returns the changes that the model at its endpoint is known to need. */
  synchronized RequestChanges of(CalledModel called) {
    return learned.getOrDefault(QuirkKey.of(called), RequestChanges.NONE);
  }

  /** Remembers changes with which a request was accepted. */
  synchronized void remember(CalledModel called, RequestChanges changes) {
    var known = of(called);
    changes.all().stream()
        .filter(change -> !known.all().contains(change))
        .forEach(change ->
            LOG.infof(
                "%s, model %s: %s from now on", called.endpoint(), called.model(), change.said()));
    learned.put(QuirkKey.of(called), changes);
    if (learned.size() > MOST_MODELS) {
      learned.remove(learned.keySet().iterator().next());
    }
  }
}
