package dev.errand.model;

import static java.util.stream.Collectors.toMap;

import io.quarkus.arc.All;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The gates of this node's endpoints. */
@ApplicationScoped
public class EndpointGates {

  private final Map<String, EndpointGate> gates = new ConcurrentHashMap<>();
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

  /** The gate of the endpoint at which the model of this name is called. */
  public EndpointGate of(String model) {
    var parts = model.split(":", 2);
    var provider = providers.get(parts[0]);
    return provider == null || parts.length < 2
        ? named("none", Optional.empty())
        : named(provider.endpoint(parts[1]), provider.maxConcurrent());
  }

  /** An endpoint has answered; its headers may say how much it takes. */
  void answered(String endpoint, HttpHeaders headers) {
    var gate = gates.get(endpoint);
    if (gate != null) {
      RateLimit.in(headers).ifPresent(gate::limited);
    }
  }

  private EndpointGate named(String endpoint, Optional<Integer> maxConcurrent) {
    return gates.computeIfAbsent(
        endpoint,
        _ ->
            new EndpointGate(
                new EndpointGate.Settings(
                    config.trialEvery(), maxConcurrent.orElse(Integer.MAX_VALUE)),
                System::nanoTime,
                () -> whenOpened.run()));
  }
}
