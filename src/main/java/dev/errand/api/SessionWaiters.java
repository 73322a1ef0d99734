package dev.errand.api;

import dev.errand.conversation.SessionId;
import dev.errand.node.HintListener;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.node.Topic;
import dev.errand.node.Waiters;
import dev.errand.session.SessionStore;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Clients that wait until a session is idle with an empty inbox, no matter which node ran it. */
@Singleton
class SessionWaiters implements HintListener {

  private final Waiters<SessionId> waits;

  SessionWaiters(SessionStore sessions) {
    this.waits = new Waiters<>(sessions::resting);
  }

  /**
   * Waits until the session is idle with an empty inbox.
   *
   * @return false if it was not within {@code limit}, or this node stops
   */
  boolean awaitIdle(SessionId session, Duration limit) {
    try {
      return waits.await(session, limit);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void stop(@Observes ShutdownDelayInitiatedEvent stop) {
    waits.close();
  }

  void sweeps(@Observes StartupEvent start, Sweeps sweeps) {
    sweeps.add(Sweep.whenWanted("Callers that wait for sessions", waits::isAwaited, this::hinted));
  }

  @Override
  public Topic topic() {
    return Topic.ENDS;
  }

  @Override
  public void hinted() {
    waits.check();
  }
}
