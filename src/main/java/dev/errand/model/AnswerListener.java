package dev.errand.model;

/** Hears the words of one answer while it arrives. Called on the thread that reads the answer. */
public interface AnswerListener {

  /** Hears nothing. */
  AnswerListener NONE =
      new AnswerListener() {
        @Override
        public boolean wantsWords() {
          return false;
        }

        @Override
        public void hear(String words, boolean whole) {}
      };

  /**
   * Returns whether the listener can use the words now. Asked after each part of an answer, so it
   * has to be cheap.
   */
  boolean wantsWords();

  /**
   * Hears all words that have arrived so far, without reasoning. Usually they begin with those that
   * were heard before; they do not when what was heard has turned out to be reasoning. Does not
   * block.
   *
   * @param whole whether no more words follow, as far as is known
   */
  void hear(String words, boolean whole);
}
