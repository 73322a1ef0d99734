package dev.errand.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.RequestChange.LeaveOut;
import dev.errand.model.RequestChange.Lower;
import dev.errand.model.RequestChange.Rename;
import dev.errand.tenant.TenantModels.Access;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * How requests are changed for endpoints that refuse them as they are. What this node knows is from
 * refusals of its own calls; it forgets it when it stops.
 */
final class EndpointQuirks {

  private static final Logger LOG = Logger.getLogger(EndpointQuirks.class);

  /** The most changes that one call may learn. */
  static final int MOST_PER_CALL = 4;

  private static final int MOST_OF_A_MODEL = 16;
  private static final int MOST_MODELS = 1_000;

  /**
   * @param own the credentials of a tenant, whose endpoints change nothing for others; null for
   *     those of the service
   */
  private record Key(URI baseUrl, @Nullable Access own, String model) {}

  private final Map<Key, List<RequestChange>> learned = new LinkedHashMap<>(16, 0.75f, true);

  /** Changes a request in the ways that its endpoint and model are known to need. */
  void apply(Endpoint endpoint, ObjectNode request) {
    changes(endpoint, request).forEach(change -> change.applyTo(request));
  }

  private synchronized List<RequestChange> changes(Endpoint endpoint, ObjectNode request) {
    return learned.getOrDefault(key(endpoint, request), List.of());
  }

  /**
   * Remembers a change for the endpoint and the model of a request.
   *
   * @return whether it is new, so that the request is worth repeating
   */
  synchronized boolean learn(Endpoint endpoint, ObjectNode request, RequestChange change) {
    var key = key(endpoint, request);
    var known = learned.getOrDefault(key, List.of());
    if (known.size() >= MOST_OF_A_MODEL || known.stream().anyMatch(one -> covers(one, change))) {
      return false;
    }
    learned.put(key, List.copyOf(with(known, change)));
    if (learned.size() > MOST_MODELS) {
      learned.remove(learned.keySet().iterator().next());
    }
    LOG.infof("%s, model %s: %s from now on", endpoint, key.model(), change.said());
    return true;
  }

  private static boolean covers(RequestChange known, RequestChange change) {
    return known.equals(change)
        || (known instanceof Lower lower
            && change instanceof Lower other
            && lower.field().equals(other.field())
            && lower.most() <= other.most());
  }

  /** An endpoint that takes neither of two names takes no such parameter. */
  private static List<RequestChange> with(List<RequestChange> known, RequestChange change) {
    var all = new ArrayList<>(known);
    if (change instanceof Rename back && all.remove(new Rename(back.to(), back.from()))) {
      all.add(new LeaveOut(back.from()));
      all.add(new LeaveOut(back.to()));
    } else {
      all.add(change);
    }
    return all;
  }

  private static Key key(Endpoint endpoint, ObjectNode request) {
    return new Key(endpoint.baseUrl(), endpoint.own(), request.path("model").asText());
  }
}
