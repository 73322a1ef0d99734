package dev.errand.kit;

import static java.util.Objects.requireNonNull;

import dev.errand.kit.SpeakingEndpoint.Speaker;
import dev.errand.model.LanguageModel;
import dev.errand.model.ModelProvider;
import dev.errand.model.Models;
import dev.errand.tenant.TenantModels;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;

/** The model {@code speaking:words}, whose answers tests write while they arrive. */
@Singleton
public class SpeakingModel implements ModelProvider {

  public static final String NAME = "speaking:words";

  private final SpeakingEndpoint endpoint;

  SpeakingModel() {
    try {
      endpoint = new SpeakingEndpoint();
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  /** The model, as far as it answers conversations that begin with this prompt. */
  public Speaker speaker(String prompt) {
    return endpoint.speaker(prompt);
  }

  @Override
  public String name() {
    return "speaking";
  }

  @Override
  public Optional<String> problem(String model) {
    return Optional.empty();
  }

  @Override
  public LanguageModel model(String model) {
    var environment = endpoint.environment();
    var properties =
        Map.<String, String>of(
            "errand.models.openai.base-url", requireNonNull(environment.get("OPENAI_BASE_URL")),
            "errand.models.openai.api-key", requireNonNull(environment.get("OPENAI_API_KEY")));
    return Models.with(properties).named(new OpenAiStub().model(), TenantModels.OF_SERVICE);
  }

  @PreDestroy
  void stop() {
    endpoint.close();
  }
}
