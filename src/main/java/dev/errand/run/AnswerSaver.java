package dev.errand.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageId;
import dev.errand.model.ModelReply;
import dev.errand.postgres.Failpoint;
import dev.errand.postgres.StorableText;
import dev.errand.run.RunEnds.RunEnd;
import dev.errand.secret.Secrets;
import dev.errand.session.OpenCall;
import dev.errand.session.SentRequest;
import dev.errand.session.TurnStore;
import dev.errand.task.StopReason;
import dev.errand.worktree.OwedChanges;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Saves what the model answers; an answer with words and without tool calls ends the run. */
@Singleton
class AnswerSaver {

  private final TurnTransactions turns;
  private final RunEnds ends;
  private final ToolRunner tools;
  private final OwedChanges changes;

  AnswerSaver(TurnTransactions turns, RunEnds ends, ToolRunner tools, OwedChanges changes) {
    this.turns = turns;
    this.ends = ends;
    this.tools = tools;
    this.changes = changes;
  }

  /**
   * Saves an answer, and repeats that while the database is unavailable or busy. The run continues
   * when the answer asks for tools or has no words, or an entry has arrived; otherwise its end is
   * committed with the answer.
   *
   * @param closing why this turn has to be the last one; null when it has not
   * @param sent the request; null when it is not kept
   */
  TurnEnd save(Run run, ModelReply reply, @Nullable Closing closing, @Nullable SentRequest sent) {
    Failpoint.MODEL_ANSWERED.pass();
    var turn = turn(run, reply, closing != null, sent);
    var id = MessageId.next();
    var end = last(turn, closing != null && closing.early());
    if (end.isPresent() && finish(run, id, turn, end.get()) == RunEnd.COMMITTED) {
      run.calls(null);
      return new TurnEnd.EndsRun(end.get());
    }
    var said = PersistentWrite.until(run, again -> turns.save(run.lease(), id, turn, again));
    run.calls(null);
    Failpoint.TURN_SAVED.pass();
    var calls = OpenCall.planned(said, turn.effects());
    return calls.isEmpty() ? new TurnEnd.Continues() : new TurnEnd.AsksFor(calls);
  }

  private RunEnd finish(Run run, MessageId id, TurnStore.ModelTurn turn, LoopEnd.Finished end) {
    return PersistentWrite.until(
        run, again -> changes.around(() -> ends.finish(run.lease(), id, turn, end, again)));
  }

  private static Optional<LoopEnd.Finished> last(TurnStore.ModelTurn turn, boolean early) {
    var message = turn.message();
    var reason = message.isCut() ? StopReason.MAX_TOKENS : StopReason.END_TURN;
    return message.toolCalls().isEmpty() && message.hasWords()
        ? Optional.of(
            new LoopEnd.Finished(message.text(), early ? StopReason.MAX_TURNS : reason, true))
        : Optional.empty();
  }

  /**
   * Makes the turn to save. Calls that a model makes in the closing turn although it may not are
   * dropped. Secrets are masked here, and what cannot be stored is replaced, so that no later step
   * meets them: tools get the arguments that the transcript shows.
   */
  private TurnStore.ModelTurn turn(
      Run run, ModelReply reply, boolean closing, @Nullable SentRequest sent) {
    var calls = closing ? List.<Content.ToolCall>of() : reply.toolCalls();
    var content = new ArrayList<Content>();
    if (!reply.text().isEmpty() || calls.isEmpty()) {
      content.add(
          new Content.Text(storable(reply.text()), reply.cut(), storable(reply.metadata())));
    }
    calls.stream().map(AnswerSaver::storable).forEach(content::add);
    var effects = calls.stream().map(tools::effect).toList();
    var call = run.modelCall().orElseThrow();
    return new TurnStore.ModelTurn(content, effects, reply.usage(), call, sent);
  }

  private static String storable(String text) {
    return Secrets.masked(StorableText.of(text));
  }

  private static Content.ToolCall storable(Content.ToolCall call) {
    return new Content.ToolCall(
        StorableText.of(call.id()),
        StorableText.of(call.name()),
        Secrets.masked(StorableText.of(call.arguments())),
        storable(call.metadata()));
  }

  private static @Nullable JsonNode storable(@Nullable JsonNode metadata) {
    return metadata == null ? null : Secrets.masked(StorableText.of(metadata));
  }
}
