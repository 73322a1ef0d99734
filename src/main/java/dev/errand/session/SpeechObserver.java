package dev.errand.session;

/**
 * Somebody who passes on what sessions say to their users. Called in the transaction that keeps it,
 * after the session's row was locked and before the counters of its tree.
 */
public interface SpeechObserver {

  void said(SpokenMessage message);
}
