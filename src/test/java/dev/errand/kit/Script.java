package dev.errand.kit;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.Usage;
import dev.errand.model.ModelException;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelReply;
import dev.errand.model.ModelReply.Ending;
import dev.errand.model.ModelRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The answers of a scripted model, one step per call, and the requests that it received. */
public final class Script {

  /** The usage that each reply reports. */
  /** The default of {@code errand.model-retry.attempts}. */
  private static final int CALLS_OF_AN_ATTEMPT = 3;

  public static final Usage USAGE = new Usage(10, 3);

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final AtomicInteger CALLS = new AtomicInteger();

  private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
  private final List<ModelRequest> requests = new CopyOnWriteArrayList<>();
  private final Queue<Step> summaries = new ConcurrentLinkedQueue<>();
  private final List<ModelRequest> summaryRequests = new CopyOnWriteArrayList<>();
  private @Nullable Gate gate;
  private volatile long refusedFrom = Long.MAX_VALUE;
  private volatile @Nullable Step untilClosing;
  private volatile @Nullable Step atEnd;
  private volatile @Nullable Step noSummary;

  private interface Step {
    ModelReply reply() throws InterruptedException;
  }

  /** A model call for which the script has no step. */
  static final class Unscripted extends RuntimeException {

    private static final long serialVersionUID = 1;

    Unscripted(String message) {
      super(message);
    }
  }

  /** A tool call of a scripted answer. */
  public record Call(String tool, Map<String, ?> arguments) {

    public static Call of(String tool, Map<String, ?> arguments) {
      return new Call(tool, arguments);
    }

    /** A foreground delegation. */
    public static Call task(String prompt) {
      return new Call("task", Map.of("description", "a task", "prompt", prompt));
    }

    /** A background delegation. */
    public static Call backgroundTask(String prompt) {
      return new Call(
          "task", Map.of("description", "a task", "prompt", prompt, "background", true));
    }

    Content.ToolCall asContent() {
      return new Content.ToolCall(
          "call_" + CALLS.incrementAndGet(), tool, JSON.<ObjectNode>valueToTree(arguments));
    }
  }

  public Script says(String text) {
    return then(() -> new ModelReply(text, List.of(), USAGE));
  }

  /** Answers with exactly this. */
  public Script replies(ModelReply reply) {
    return then(() -> reply);
  }

  /** Says a text that ends at the token limit. */
  public Script saysCut(String text) {
    return then(() -> new ModelReply(text, List.of(), USAGE, Ending.TOKEN_LIMIT));
  }

  /** Says a text that the provider stops, for example by its content filter. */
  public Script saysUntilStopped(String text) {
    return then(() -> new ModelReply(text, List.of(), USAGE, Ending.STOPPED));
  }

  /** The same as {@link #says}; it reads better after another step. */
  public Script thenSays(String text) {
    return says(text);
  }

  /** Answers with one message that contains these calls. */
  public Script calls(Call... calls) {
    return then(() -> calling("", calls));
  }

  /** Answers with these calls and reports this usage. */
  public Script calls(Usage usage, Call... calls) {
    return then(() -> new ModelReply("", calling("", calls).toolCalls(), usage));
  }

  public Script calls(String tool, Map<String, ?> arguments) {
    return calls(Call.of(tool, arguments));
  }

  public Script saysAndCalls(String text, Call... calls) {
    return then(() -> calling(text, calls));
  }

  /** Delegates in the foreground. */
  public Script callsTask(String prompt) {
    return calls(Call.task(prompt));
  }

  /** Delegates in the background. */
  public Script callsTaskInBackground(String prompt) {
    return calls(Call.backgroundTask(prompt));
  }

  public Script fails(ModelException.Code code) {
    return then(() -> {
      throw new ModelException(code, "failure from the script");
    });
  }

  /** Fails with this message. */
  public Script fails(ModelException.Code code, String message) {
    return then(() -> {
      throw new ModelException(code, message);
    });
  }

  /** Fails this many calls in succession. */
  public Script fails(ModelException.Code code, int times) {
    for (int time = 0; time < times; time++) {
      fails(code);
    }
    return this;
  }

  /** Gives answers that cannot be read until the run gives up, and its attempt has failed. */
  public Script failsAttempt() {
    return fails(ModelException.Code.MODEL_BAD_RESPONSE, CALLS_OF_AN_ATTEMPT);
  }

  /** Opens a gate as soon as this call arrives. */
  public Script saysAndOpens(String text, Gate opened) {
    return then(() -> {
      opened.open();
      return new ModelReply(text, List.of(), USAGE);
    });
  }

  /** The next step waits at this gate first; an interrupt makes the call fail. */
  public Script at(Gate nextGate) {
    gate = nextGate;
    return this;
  }

  /**
   * Makes this call in every turn in which tools may be called; the steps apply to closing turns.
   */
  public Script callsForever(String text, Call call) {
    untilClosing = () -> calling(text, call);
    return this;
  }

  /** Fails every call for which no step is left, also one for a summary. */
  public Script failsForever(ModelException.Code code) {
    return failsForever(new ModelException(code, "failure from the script"));
  }

  /** Like {@link #failsForever(ModelException.Code)}, with this fault. */
  public Script failsForever(ModelException fault) {
    atEnd =
        () -> {
          throw fault;
        };
    noSummary = atEnd;
    return this;
  }

  /** Answers with this text when no step is left. */
  public Script saysForever(String text) {
    atEnd = () -> new ModelReply(text, List.of(), USAGE);
    return this;
  }

  /** Answers a request for a summary; such requests do not use the other steps. */
  public Script summarises(String text) {
    return then(summaries, () -> new ModelReply(text, List.of(), USAGE));
  }

  public Script failsToSummarise() {
    return then(
        summaries,
        () -> {
          throw new ModelException(Code.MODEL_REJECTED_REQUEST, "failure from the script");
        });
  }

  /** The requests for summaries, oldest first. */
  public List<ModelRequest> summaryRequests() {
    return List.copyOf(summaryRequests);
  }

  /** Refuses requests whose conversation has more characters than this. */
  public Script refusesAbove(long chars) {
    refusedFrom = chars + 1;
    return this;
  }

  /** The characters of all messages. */
  public static long chars(ModelRequest request) {
    return request.conversation().stream()
        .flatMap(message -> message.content().stream())
        .mapToLong(part -> part.toString().length())
        .sum();
  }

  /** The requests that the model has received, oldest first. */
  public List<ModelRequest> requests() {
    return List.copyOf(requests);
  }

  private Script then(Step step) {
    return then(steps, step);
  }

  private Script then(Queue<Step> queue, Step step) {
    var current = gate;
    gate = null;
    queue.add(current == null ? step : waitingAt(current, step));
    return this;
  }

  private static Step waitingAt(Gate gate, Step step) {
    return () -> {
      gate.pass();
      return step.reply();
    };
  }

  private static ModelReply calling(String text, Call... calls) {
    var content = new ArrayList<Content.ToolCall>();
    Arrays.stream(calls).map(Call::asContent).forEach(content::add);
    return new ModelReply(text, content, USAGE);
  }

  ModelReply next(ModelRequest request) throws InterruptedException {
    var forSummary = isForSummary(request);
    (forSummary ? summaryRequests : requests).add(request);
    if (chars(request) >= refusedFrom) {
      throw new ModelException(Code.MODEL_CONTEXT_EXCEEDED, "the prompt is too long");
    }
    var step = forSummary ? summary() : step(request);
    if (step == null) {
      throw new Unscripted(
          forSummary
              ? "the script has no summary"
              : "the script has no step for call %d".formatted(requests.size()));
    }
    return step.reply();
  }

  static boolean isForSummary(ModelRequest request) {
    return request.system().startsWith("You summarise the older part");
  }

  private @Nullable Step summary() {
    var step = summaries.poll();
    return step == null ? noSummary : step;
  }

  private @Nullable Step step(ModelRequest request) {
    var step = request.closing() || untilClosing == null ? steps.poll() : untilClosing;
    return step == null ? atEnd : step;
  }
}
