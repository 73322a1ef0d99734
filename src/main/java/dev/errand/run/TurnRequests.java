package dev.errand.run;

import dev.errand.agent.AgentDefinition;
import dev.errand.context.Conversation;
import dev.errand.context.Frame;
import dev.errand.conversation.UntrustedText;
import dev.errand.event.Deltas;
import dev.errand.event.SpokenCall;
import dev.errand.model.AnswerListener;
import dev.errand.model.ModelRequest;
import dev.errand.session.SentRequest;
import dev.errand.session.SentRequests;
import dev.errand.session.Transcript;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes the requests of turns. While a model answers, neither the conversation nor the request is
 * in memory, except for the compressed body if requests are kept; a call that is repeated loads the
 * conversation again.
 */
@Singleton
class TurnRequests {

  private final ToolRunner tools;
  private final SystemPrompts prompts;
  private final Compaction compaction;
  private final Transcript transcript;
  private final ConversationMemory memory;
  private final Deltas deltas;
  private final SentRequests kept;

  TurnRequests(
      ToolRunner tools,
      SystemPrompts prompts,
      Compaction compaction,
      Transcript transcript,
      ConversationMemory memory,
      Deltas deltas,
      SentRequests kept) {
    this.tools = tools;
    this.prompts = prompts;
    this.compaction = compaction;
    this.transcript = transcript;
    this.memory = memory;
    this.deltas = deltas;
    this.kept = kept;
  }

  /**
   * A turn of a run.
   *
   * @param closing why it has to be the last one; null when it has not
   */
  record RunTurn(
      ToolRunner.Shift shift,
      AgentDefinition agent,
      Conversation conversation,
      @Nullable Closing closing) {}

  /**
   * Shortens the conversation if it is too long, makes the request of it, and unloads it.
   *
   * @return empty when older messages were summarised: the turn has to begin again
   */
  Optional<OutgoingRequest> of(RunTurn turn) {
    var frame = frame(turn);
    if (compaction.beforeCall(turn.shift(), turn.conversation(), frame.chars())) {
      return Optional.empty();
    }
    var tokens = turn.conversation().tokens(frame.chars());
    var nonce = turn.shift().session().nonce();
    return Optional.of(
        new OutgoingRequest(
                made(turn, frame, tokens),
                () -> again(turn, tokens),
                request -> memory.unload(turn.shift().run(), request.keptBytes()),
                kept.areKept() ? body -> SentRequest.of(body, nonce) : null)
            .heardBy(() -> listener(turn.shift())));
  }

  /**
   * Shortens the conversation after the model has refused the request as too long.
   *
   * @return false when there is nothing to leave out and nothing to summarise
   */
  boolean isShortened(RunTurn turn) {
    load(turn);
    return compaction.afterRefusal(turn.shift(), turn.conversation(), frame(turn).chars());
  }

  /**
   * Returns the request of a call that is repeated.
   *
   * @throws CallDelayed there is no memory for the conversation, or the run has ended
   */
  private ModelRequest again(RunTurn turn, long tokens) {
    if (!memory.reserveAgain(turn.shift().run(), turn.conversation().storedChars())) {
      throw new CallDelayed();
    }
    load(turn);
    return made(turn, frame(turn), tokens);
  }

  private AnswerListener listener(ToolRunner.Shift shift) {
    var session = shift.session();
    return shift
        .run()
        .modelCall()
        .map(call -> new SpokenCall(session.id(), session.root(), call.seq(), call.attempt()))
        .<AnswerListener>map(call -> new LiveWords(deltas, call))
        .orElse(AnswerListener.NONE);
  }

  private void load(RunTurn turn) {
    turn.conversation().reload(transcript.current(turn.shift().session().id()));
  }

  private Frame frame(RunTurn turn) {
    var offered = tools.offered(turn.shift());
    var task = UntrustedText.quoted(turn.conversation().request());
    var system = prompts.of(turn.agent(), task, offered.guide());
    return Frame.of(markup(turn).explained(system), offered.tools());
  }

  private static ModelRequest made(RunTurn turn, Frame frame, long tokens) {
    var sent = new ArrayList<>(turn.conversation().sent());
    turn.conversation().unload();
    var closing = turn.closing();
    if (closing != null) {
      sent.add(closing.message());
    }
    var markup = markup(turn);
    return new ModelRequest(
        frame.system(),
        sent.stream().map(markup::sent).toList(),
        frame.tools(),
        closing != null,
        tokens);
  }

  private static Markup markup(RunTurn turn) {
    return new Markup(turn.shift().session().nonce());
  }
}
