package dev.errand.model;

/**
 * A language model of a provider.
 *
 * <p>Contract: thread-safe; blocks the calling thread until the answer is complete; an interrupt of
 * that thread ends the call soon; every fault, an interrupt included, is a {@link ModelException},
 * and no other exception is thrown but those of the {@link RequestSource}.
 */
public interface LanguageModel {

  /**
   * Makes one turn of the model. Stateless: the same request may be sent again. Nothing of the
   * request is kept while the model answers.
   */
  ModelReply reply(RequestSource request);
}
