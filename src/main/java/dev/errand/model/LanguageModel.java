package dev.errand.model;

/**
 * One language model of one provider.
 *
 * <p>Contract: thread-safe; blocks the calling thread until the answer is complete; an interrupt of
 * that thread ends the call soon; every fault, an interrupt included, is a {@link ModelException},
 * and no other exception is thrown.
 */
public interface LanguageModel {

  /** One turn of the model. Stateless: the same request may be sent again. */
  ModelReply reply(ModelRequest request);
}
