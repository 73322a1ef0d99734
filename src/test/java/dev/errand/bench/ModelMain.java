package dev.errand.bench;

import dev.errand.bench.Conversation.Last;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.StubEndpoint.Answer;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The models' endpoint in a process of its own. It reads no more of a request than it needs, so
 * that it never is what limits the service. The task of an agent is the first line of its
 * conversation:
 *
 * <ul>
 *   <li>{@code work <id> <ms>}: answers after this time
 *   <li>{@code read <id> <turns>}: calls {@code read} in each turn, then answers
 *   <li>{@code delegate <id> <ms>}: delegates a {@code work} in the background
 *   <li>{@code park <id> <ms>}: delegates a {@code work} in the foreground to the agent {@code
 *       waiter}
 * </ul>
 *
 * <p>{@code GET /marks} returns when it was called for each id, in the monotonic clock of the
 * machine, which all processes share; {@code GET /marks/<id>} for one. {@code GET /turns/<id>}
 * returns the time between the turns of a {@code read}; {@code GET /open} how many calls of {@code
 * work} wait for their answer. The Messages API takes no calls for an hour.
 */
final class ModelMain {

  private static final String DONE = answer(Answer.says("Done."));
  private static final String MARKS = "/marks/";
  private static final String TURNS = "/turns/";

  /**
   * Another transport than the service's, which closes a connection whose first call takes 10 s.
   */
  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));

  private final Map<String, Mark> marks = new ConcurrentHashMap<>();
  private long open;

  private ModelMain() {}

  public static void main(String... arguments) {
    var model = new ModelMain();
    model
        .vertx
        .createHttpServer()
        .requestHandler(model::handle)
        .listen(Integer.parseInt(arguments[0]), "127.0.0.1")
        .onSuccess(_ -> System.out.println("ready"));
  }

  private void handle(HttpServerRequest request) {
    var path = Objects.requireNonNull(request.path());
    if (path.equals("/marks")) {
      request.response().end(marks());
    } else if (path.equals("/open")) {
      request.response().end(Long.toString(open));
    } else if (path.startsWith(MARKS)) {
      request.response().end(mark(path.substring(MARKS.length())));
    } else if (path.startsWith(TURNS)) {
      request.response().end(turns(path.substring(TURNS.length())));
    } else if (path.equals("/v1/messages")) {
      request.response().setStatusCode(429).putHeader("retry-after", "3600").end();
    } else {
      request.body().onSuccess(body -> answer(request, body.getBytes(), System.nanoTime()));
    }
  }

  private void answer(HttpServerRequest request, byte[] body, long arrivedAt) {
    var conversation = Conversation.of(body);
    var job = conversation.job();
    var mark = marks.computeIfAbsent(job.id(), _ -> new Mark());
    switch (job.kind()) {
      case "work" -> {
        mark.asked = arrivedAt;
        open++;
        later(
            job.number(),
            () -> {
              open--;
              send(request, DONE);
              mark.answered = System.nanoTime();
            });
      }
      case "read" -> read(request, conversation, mark, arrivedAt);
      case "park" ->
          send(request, conversation.last() == Last.REQUEST ? answer(park(job.id())) : DONE);
      default -> delegate(request, conversation, mark, arrivedAt);
    }
  }

  private static void read(
      HttpServerRequest request, Conversation conversation, Mark mark, long arrivedAt) {
    if (conversation.answers() > 0) {
      mark.turns.add(arrivedAt - mark.answered);
    }
    var more = conversation.answers() < conversation.job().number();
    send(request, more ? answer(read(conversation.answers())) : DONE);
    mark.answered = System.nanoTime();
  }

  private void delegate(
      HttpServerRequest request, Conversation conversation, Mark mark, long arrivedAt) {
    var job = conversation.job();
    if (conversation.last() == Last.REQUEST) {
      var prompt = "work %s %d".formatted(job.id(), job.number());
      send(request, answer(Answer.calls(Answer.task(prompt, true))));
      return;
    }
    if (conversation.last() == Last.NOTICE) {
      mark.resumed = arrivedAt;
    }
    send(request, DONE);
  }

  private void later(int milliseconds, Runnable action) {
    if (milliseconds == 0) {
      action.run();
    } else {
      vertx.setTimer(milliseconds, _ -> action.run());
    }
  }

  private static Answer read(int offset) {
    return Answer.calls(
        Answer.call("read", Map.of("file_path", "page.txt", "offset", offset + 1, "limit", 50)));
  }

  private static Answer park(String id) {
    return Answer.calls(
        Answer.call(
            "task",
            Map.of(
                "description",
                "a task",
                "prompt",
                "work " + id + " 0",
                "subagent_type",
                "waiter",
                "background",
                false)));
  }

  private static String answer(Answer answer) {
    return new OpenAiStub().answer(answer);
  }

  private static void send(HttpServerRequest request, String body) {
    request.response().putHeader("content-type", "application/json").end(Buffer.buffer(body));
  }

  private String turns(String id) {
    var mark = marks.getOrDefault(id, new Mark());
    return mark.turns.stream().map(Object::toString).collect(Collectors.joining("\n"));
  }

  private String mark(String id) {
    return id + " " + marks.getOrDefault(id, new Mark());
  }

  private String marks() {
    return marks.entrySet().stream()
        .map(entry -> entry.getKey() + " " + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  /** When the model was called for one id; 0 for what has not happened. */
  private static final class Mark {

    private long asked;
    private long answered;
    private long resumed;
    private final List<Long> turns = new ArrayList<>();

    @Override
    public String toString() {
      return asked + " " + answered + " " + resumed;
    }
  }
}
