package dev.errand.deploy;

import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.WebhookReceiver;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A mixed load with failures: tasks that succeed, fail, exceed their timeout or are cancelled;
 * hosted parents and external parents, with working and failing callbacks; a model that is
 * sometimes busy and for some time unavailable.
 */
final class MixedLoad implements AutoCloseable {

  private static final int EXTERNAL_CLIENTS = 5;
  private static final int HOSTED_CLIENTS = 2;
  private static final List<String> AGENTS = List.of("general", "explore", "plan");

  /** Outcomes of tasks, which are also their prompts; most tasks succeed. */
  private static final List<String> OUTCOMES =
      List.of(
          "work", "work", "work", "work", "work", "work", "busy", "fail", "hang", "cancel",
          "stumble");

  private final WebhookReceiver receiver = new WebhookReceiver();
  private final WebhookReceiver failing = new WebhookReceiver();
  private final List<Thread> clients = new CopyOnWriteArrayList<>();
  private final Random random = new Random(1);
  private volatile boolean modelUnavailable;
  private volatile boolean stopped;

  MixedLoad() {
    failing.answers(WebhookReceiver.status(500));
  }

  void start(Service service) {
    var parents = parents(service);
    var external =
        IntStream.range(0, EXTERNAL_CLIENTS)
            .<Runnable>mapToObj(number -> () -> delegate(service, parents));
    var hosted = IntStream.range(0, HOSTED_CLIENTS).<Runnable>mapToObj(_ -> () -> speak(service));
    Stream.concat(external, hosted)
        .forEach(act -> clients.add(Thread.ofVirtual().start(() -> repeat(act))));
  }

  void setModelUnavailable(boolean unavailable) {
    modelUnavailable = unavailable;
  }

  /** One parent in ten has a failing callback. */
  private List<String> parents(Service service) {
    var limits = Map.of("max_delegations", 100_000, "max_background_tasks", 1_000);
    var plain = open(service, Map.of("kind", "external", "limits", limits));
    var withCallback =
        open(
            service,
            Map.of(
                "kind", "external", "limits", limits, "callback", Map.of("url", receiver.url())));
    var withFailingCallback =
        open(
            service,
            Map.of("kind", "external", "limits", limits, "callback", Map.of("url", failing.url())));
    return List.of(
        plain,
        plain,
        plain,
        plain,
        plain,
        withCallback,
        withCallback,
        withCallback,
        withCallback,
        withFailingCallback);
  }

  private static String open(Service service, Map<String, ?> fields) {
    return service.post("/v1/sessions", fields, 201).get("id").asText();
  }

  private void repeat(Runnable act) {
    try {
      while (!stopped) {
        act.run();
        pause(600, 1_000);
      }
    } catch (InterruptedException exception) {
      Thread.currentThread().interrupt();
    }
  }

  private void delegate(Service service, List<String> parents) {
    var outcome = one(OUTCOMES);
    var body =
        Map.of(
            "parent_session_id",
            one(parents),
            "description",
            "to " + outcome,
            "prompt",
            outcome,
            "subagent_type",
            one(AGENTS),
            "timeout_ms",
            outcome.equals("hang") ? 2_000 : 60_000,
            "background",
            true);
    var task = service.post("/v1/tasks", body, 202).at("/metadata/task_id").asText();
    if (outcome.equals("cancel")) {
      service.post("/v1/tasks/" + task + "/cancel", Map.of(), 200);
    }
    service.get("/v1/tasks/" + task);
  }

  private static void speak(Service service) {
    var session = open(service, Map.of());
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", "Delegate."), 202);
  }

  /** Answers a model request as its prompt says. */
  Answer answer(ModelCall call) throws InterruptedException {
    pause(50, 400);
    if (modelUnavailable) {
      throw new ErrorStatus(503);
    }
    return switch (call.prompt()) {
      case "Delegate." -> call.isFirst() ? delegations() : Answer.says("Thanks.");
      case "fail" -> throw new ErrorStatus(400);
      case "hang", "cancel" -> answerLate();
      case "busy" -> refuseSome(call);
      case "stumble" ->
          call.isFirst()
              ? Answer.calls(Answer.call("read", Map.of("file_path", "missing")))
              : Answer.says("There is none.");
      default -> work(call);
    };
  }

  private static Answer delegations() {
    return Answer.calls(Answer.task("work", true), Answer.task("stumble", true));
  }

  private static Answer answerLate() throws InterruptedException {
    TimeUnit.SECONDS.sleep(5);
    return Answer.says("Late.");
  }

  /** So few that the pace that nodes learn from the refusals remains above that of the clients. */
  private Answer refuseSome(ModelCall call) {
    if (below(20) == 0) {
      throw new ErrorStatus(429);
    }
    return work(call);
  }

  private static Answer work(ModelCall call) {
    return call.isFirst()
        ? Answer.calls(
            Answer.call("glob", Map.of("pattern", "*.md")),
            Answer.call("read", Map.of("file_path", "README.md")))
        : Answer.says("Done.");
  }

  private void pause(int from, int more) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(from + below(more));
  }

  private String one(List<String> of) {
    return of.get(below(of.size()));
  }

  private int below(int bound) {
    synchronized (random) {
      return random.nextInt(bound);
    }
  }

  /** Stops the clients. */
  void stop() throws InterruptedException {
    stopped = true;
    for (var client : clients) {
      client.join();
    }
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    receiver.close();
    failing.close();
  }
}
