package dev.errand.model;

import java.util.Optional;

/**
 * Makes the language models of one provider. Implementations are CDI beans and are found by {@link
 * LanguageModels}.
 */
public interface ModelProvider {

  /** What stands before the colon of a model's name. */
  String name();

  /**
   * Why {@code model} cannot be used as things are configured: a sentence that names what to set;
   * empty when nothing speaks against it. Asks no network.
   */
  Optional<String> problem(String model);

  /**
   * The model of that name. Only called when it has no {@link #problem}; asks no network, so a
   * model that the provider does not know shows at its first reply.
   */
  LanguageModel model(String model);
}
