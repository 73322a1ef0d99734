package dev.errand.model;

import static java.util.stream.Collectors.toMap;

import dev.errand.model.EndpointGate.Permit;
import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.TenantModels;
import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The gates of this node's endpoints. */
@ApplicationScoped
public class EndpointGates {

  /**
   * @param own the credentials of a tenant, whose calls neither delay those of others nor are
   *     delayed by them; null for those of the service
   */
  private record GateKey(String endpoint, @Nullable ProviderCredentials own) {}

  private final Map<GateKey, EndpointGate> gates = new ConcurrentHashMap<>();
  private final Map<String, ModelProvider> providers;
  private final ModelConfig config;
  private volatile Runnable whenOpened = () -> {};

  @Inject
  EndpointGates(@All List<ModelProvider> providers, ModelConfig config) {
    this.providers = providers.stream().collect(toMap(ModelProvider::name, Function.identity()));
    this.config = config;
  }

  /** Sets what is called when calls that had to wait may be possible again. */
  public void whenOpened(Runnable action) {
    whenOpened = action;
  }

  /** Returns the gate of the endpoint at which a tenant calls the model of this name. */
  public EndpointGate of(String model, TenantModels tenant) {
    var parts = model.split(":", 2);
    var provider = providers.get(parts[0]);
    return provider == null || parts.length < 2
        ? gate(new GateKey("none", null), Optional.empty())
        : gate(
            new GateKey(provider.endpoint(parts[1]), tenant.of(parts[0]).orElse(null)),
            provider.maxConcurrent());
  }

  /** Records that an endpoint has answered; its headers may say how many calls it takes. */
  void answered(Endpoint endpoint, HttpHeaders headers) {
    var gate = gates.get(new GateKey(endpoint.provider(), endpoint.own()));
    if (gate != null) {
      RateLimit.in(headers).ifPresent(gate::limited);
    }
  }

  private EndpointGate gate(GateKey key, Optional<Integer> maxConcurrent) {
    return gates.computeIfAbsent(
        key,
        _ ->
            new EndpointGate(
                new EndpointGate.GateSettings(
                    config.trialEvery(), maxConcurrent.orElse(Integer.MAX_VALUE)),
                System::nanoTime,
                () -> whenOpened.run()));
  }

  /** The kind of a caller that asks an {@link EndpointGate} for a call. */
  public enum GateCaller {
    /** A task that has made no call yet; it comes after all others. */
    NEW,
    /** A run. */
    RUN,
    /** A run that was told to come back soon. */
    RETURNING
  }

  /** The answer of an {@link EndpointGate} to a caller. */
  public sealed interface GateAnswer {

    /** The call may be made. The caller closes the permit when the call has ended. */
    record Pass(Permit permit) implements GateAnswer {}

    /**
     * The call may be made soon: the caller must ask again as {@code RETURNING}, or {@link
     * EndpointGate#leave}.
     */
    record Soon(Duration in) implements GateAnswer {}

    /**
     * The call may not be made yet.
     *
     * @param atLeast asking earlier is useless
     * @param away why the endpoint counts as away; null when it is only busy
     */
    record NotYet(Duration atLeast, @Nullable ModelException away) implements GateAnswer {}
  }
}
