package dev.errand.model;

import dev.errand.tenant.ProviderCredentials;
import java.util.Optional;

/**
 * Creates the language models of one provider. Implementations are CDI beans, found by {@link
 * LanguageModels}.
 */
public interface ModelProvider {

  /** Returns the part of a model name before the colon. */
  String name();

  /**
   * Names the endpoint and key with which {@code model} is called. Models with the same endpoint
   * and key are away and busy together. Default: the provider has one.
   */
  default String endpoint(String model) {
    return name();
  }

  /**
   * Returns the most calls that a node makes to an endpoint at the same time; empty for no limit.
   */
  default Optional<Integer> maxConcurrent() {
    return Optional.empty();
  }

  /**
   * Returns whether models are called with credentials of the operator. Default: they need none.
   */
  default boolean usesCredentials() {
    return false;
  }

  /** Returns the provider with the credentials of a tenant. Default: it needs none. */
  default ModelProvider with(ProviderCredentials own) {
    return this;
  }

  /**
   * Returns why {@code model} cannot be used with the current configuration: a message that names
   * what to configure; empty if it can be used. Makes no network calls.
   */
  Optional<String> problem(String model);

  /**
   * Returns the model of this name. Called only if it has no {@link #problem}. Makes no network
   * calls, so an unknown model is noticed at its first reply.
   */
  LanguageModel model(String model);
}
