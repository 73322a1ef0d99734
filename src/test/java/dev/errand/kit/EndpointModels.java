package dev.errand.kit;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.StubEndpoint.Responder;
import dev.errand.model.LanguageModel;
import dev.errand.model.ModelProvider;
import dev.errand.model.Models;
import dev.errand.tenant.TenantModels;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The models {@code endpoint:openai} and {@code endpoint:anthropic}: the real providers, whose
 * endpoints are servers of the test that refuse what the providers refuse.
 */
@Singleton
public class EndpointModels implements ModelProvider {

  public static final String OPENAI = "endpoint:openai";
  public static final String ANTHROPIC = "endpoint:anthropic";

  private final Map<String, StubEndpoint> endpoints = new ConcurrentHashMap<>();
  private volatile Responder responder =
      _ -> {
        throw new AssertionError("the test has no answers");
      };

  /** The body of the last request to a model that was called before. */
  public JsonNode lastBody(String model) {
    return requireNonNull(endpoints.get(model.substring(model.indexOf(':') + 1))).lastBody();
  }

  /** Decides the answers of both endpoints. */
  public void answer(Responder next) {
    responder = next;
  }

  /** What the endpoints refused, and errors in the code of the test. */
  public List<String> errors() {
    return endpoints.values().stream().flatMap(endpoint -> endpoint.errors().stream()).toList();
  }

  @Override
  public String name() {
    return "endpoint";
  }

  @Override
  public Optional<String> problem(String model) {
    return Optional.empty();
  }

  @Override
  public LanguageModel model(String model) {
    var wire = model.equals("openai") ? new OpenAiStub() : new AnthropicStub();
    var endpoint = endpoints.computeIfAbsent(model, _ -> start(wire));
    var properties = new HashMap<String, String>();
    endpoint.environment().forEach((name, value) -> properties.put(property(name), value));
    properties.remove("errand.models.errand.model");
    return Models.with(properties).named(wire.model(), TenantModels.OF_SERVICE);
  }

  private StubEndpoint start(StubWire wire) {
    try {
      return StubEndpoint.start(wire, call -> responder.answer(call));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** {@code OPENAI_BASE_URL} is the property {@code errand.models.openai.base-url}. */
  private static String property(String variable) {
    var words = variable.toLowerCase(Locale.ROOT).split("_", 2);
    return "errand.models." + words[0] + "." + words[1].replace('_', '-');
  }

  @PreDestroy
  void stop() {
    endpoints.values().forEach(StubEndpoint::close);
  }
}
