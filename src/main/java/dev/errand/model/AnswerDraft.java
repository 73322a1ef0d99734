package dev.errand.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Usage;
import dev.errand.model.ModelReply.Ending;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of an answer that has arrived. A dialect adds the parts of a stream, or a whole answer
 * at once.
 */
final class AnswerDraft {

  private final String model;
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder refusal = new StringBuilder();
  private final List<DraftCall> calls = new ArrayList<>();
  private final ObjectNode kept = JsonNodeFactory.instance.objectNode();
  private Usage usage = Usage.NONE;
  private Ending ending = Ending.COMPLETE;
  private boolean begun;
  private boolean complete;
  private boolean expectsMore;
  private boolean asksForCalls;
  private boolean interrupted;

  /**
   * @param model that answers, with its provider
   */
  AnswerDraft(String model) {
    this.model = model;
  }

  /** A part of the answer has arrived, which may be empty. */
  void begin() {
    begun = true;
  }

  boolean hasBegun() {
    return begun;
  }

  /** Marks the answer as complete, although usage may follow. */
  void end(Ending how) {
    endIfOpen();
    ending = how;
  }

  /** The answer is complete; how it ended may be known already. */
  void endIfOpen() {
    begun = true;
    complete = true;
  }

  /** Records that the model has said that it calls tools. */
  void endWithCalls() {
    end(Ending.COMPLETE);
    asksForCalls = true;
  }

  /** The answer has ended, and the server has said that this was an accident. */
  void interrupt() {
    end(Ending.COMPLETE);
    interrupted = true;
  }

  boolean isInterrupted() {
    return interrupted;
  }

  /** Records that the server has said that this is not the last part. */
  void expectMore() {
    expectsMore = true;
  }

  /**
   * Returns whether the answer is complete.
   *
   * @param isDocument whether it was one JSON document, whose end is that of the answer
   */
  boolean isComplete(boolean isDocument) {
    return complete || (isDocument && begun && !expectsMore);
  }

  /** Adds words of the answer. */
  void say(String words) {
    text.append(words);
  }

  /** Lets a listener hear the words that have arrived. Usually none follow after a tool call. */
  void letHear(AnswerListener listener) {
    if (!text.isEmpty() && listener.wantsWords()) {
      var isWhole = complete || !calls.isEmpty();
      listener.hear(isWhole ? words() : ThinkTags.begun(text.toString()), isWhole);
    }
  }

  /** Adds a whole text: what came before it may be its beginning. */
  void sayWhole(String whole) {
    var soFar = text.toString();
    say(whole.startsWith(soFar) ? whole.substring(soFar.length()) : whole);
  }

  /** Returns the words that have arrived. */
  String text() {
    return text.toString();
  }

  /** Returns the calls that have arrived. */
  List<DraftCall> calls() {
    return calls;
  }

  DraftCall newCall() {
    var call = new DraftCall();
    calls.add(call);
    return call;
  }

  /** Returns the fields of the message that are sent back with it. */
  ObjectNode kept() {
    return kept;
  }

  /** Usage that says nothing is ignored; later reports replace earlier ones. */
  void use(Usage reported) {
    if (reported.inputTokens() + reported.outputTokens() > 0) {
      usage = reported;
    }
  }

  Usage usage() {
    return usage;
  }

  /**
   * Returns whether there is something to use. An empty answer is one, unless it announces calls.
   */
  boolean saysSomething() {
    return !asksForCalls || !calls.isEmpty() || !text.toString().isBlank();
  }

  /** Adds words with which the model refuses to answer. */
  void refuse(String words) {
    refusal.append(words);
  }

  /**
   * Returns the words with which the model refuses to answer, or nothing if its provider has
   * stopped an answer that contains nothing yet; absent if there is an answer.
   */
  Optional<String> refusal() {
    var isStopped = ending == Ending.STOPPED && calls.isEmpty() && words().isBlank();
    return isStopped || !refusal.toString().isBlank()
        ? Optional.of(refusal.toString().strip())
        : Optional.empty();
  }

  /** Returns the answer. */
  ModelReply reply() {
    var words = words();
    if (words.length() < text.length() && !kept.has("content")) {
      // The model gets its whole text back, with its reasoning.
      kept.put("content", text.toString());
    }
    if (calls.isEmpty()) {
      return new ModelReply(words, List.of(), usage, ending, KeptFields.of(model, kept, nothing()));
    }
    return new ModelReply(words, toolCalls(), usage, Ending.COMPLETE, null);
  }

  private String words() {
    return ThinkTags.removed(text.toString());
  }

  private List<Content.ToolCall> toolCalls() {
    var ids = new HashSet<String>();
    var made = new ArrayList<Content.ToolCall>();
    for (int place = 0; place < calls.size(); place++) {
      var isCut = ending != Ending.COMPLETE && place == calls.size() - 1;
      made.add(calls.get(place).toolCall(ids, isCut, metadata(place)));
    }
    return made;
  }

  private @Nullable JsonNode metadata(int place) {
    return KeptFields.of(model, place == 0 ? kept : nothing(), calls.get(place).kept());
  }

  private static ObjectNode nothing() {
    return JsonNodeFactory.instance.objectNode();
  }
}
