package dev.errand.run;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.SessionId;
import dev.errand.hook.HookEvents;
import dev.errand.outbox.CallbackPosts;
import dev.errand.session.Lease;
import dev.errand.session.NewMessages;
import dev.errand.session.SessionFailures;
import dev.errand.session.SessionTotals;
import dev.errand.session.SpokenMessages;
import dev.errand.session.Transcript;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.List;

/**
 * Passes what sessions say to their users on to the sessions' callbacks, in the transaction that
 * stores it. A call that is made again finds its message and sends no other (architecture, rule 9).
 */
@Singleton
class OutgoingMessages {

  private final SpokenMessages messages;
  private final Transcript transcript;
  private final SessionFailures failures;
  private final CallbackPosts posts;
  private final HookEvents hooks;
  private final RunMetrics metrics;

  OutgoingMessages(
      SpokenMessages messages,
      Transcript transcript,
      SessionFailures failures,
      CallbackPosts posts,
      HookEvents hooks,
      RunMetrics metrics) {
    this.messages = messages;
    this.transcript = transcript;
    this.failures = failures;
    this.posts = posts;
    this.hooks = hooks;
    this.metrics = metrics;
  }

  /**
   * Sends a message, once for each call, however often the call is made.
   *
   * @throws dev.errand.session.LeaseLost the run no longer owns the session; nothing was sent
   */
  @Transactional
  void send(Lease lease, String callKey, String text) {
    messages.store(lease, callKey, text).ifPresent(posts::said);
  }

  /**
   * Passes on a root's answer, which asks for no tool and was appended in this transaction. One
   * without words is not passed on.
   */
  @Transactional(TxType.MANDATORY)
  void answered(NewMessages.AppendedMessage answer) {
    SpokenMessages.answer(answer).ifPresent(posts::said);
  }

  /** Passes on what a root had said before, in place of its last answer, which has no words. */
  @Transactional(TxType.MANDATORY)
  void unanswered(SessionTotals session, String words) {
    transcript
        .lastOfAssistant(session.id())
        .map(last -> last.with(Message.assistant(List.of(new Content.Text(words)))))
        .ifPresent(message -> answered(new NewMessages.AppendedMessage(message, session)));
  }

  /** Records that a run failed for good, and passes the failure of a root on. */
  @Transactional(TxType.MANDATORY)
  void failed(SessionId session, LoopEnd.Failed end) {
    failures
        .failed(session, end.code(), end.message())
        .ifPresent(failure -> {
          posts.failed(failure);
          hooks.sessionFailed(session, failure.error());
          metrics.sessionFailed(end.code());
        });
  }
}
