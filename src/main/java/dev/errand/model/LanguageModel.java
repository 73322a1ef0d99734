package dev.errand.model;

/**
 * One language model behind one provider.
 *
 * <p>Contract: thread-safe; blocks the calling thread until the whole answer is there; an interrupt
 * of that thread ends the call soon, with a {@link ModelException}; every fault is a {@link
 * ModelException}, no other exception leaves.
 */
public interface LanguageModel {

  /** One turn of the model. Holds no state: the same request may be sent again. */
  ModelReply reply(ModelRequest request);
}
