package dev.errand.deploy;

import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Asked;
import dev.errand.kit.StubEndpoint.Refused;
import dev.errand.kit.WebhookReceiver;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Work of all kinds with failures in it, for as long as one likes: tasks that succeed, fail, hang
 * over their time-out or are cancelled; parents inside, outside, and outside with receivers that
 * work and that do not; a model that is busy now and then, and away for a while.
 */
final class MixedLoad implements AutoCloseable {

  private static final int OUTSIDE = 5;
  private static final int INSIDE = 2;
  private static final List<String> AGENTS = List.of("general", "explore", "plan");

  /** What becomes of a task, as its prompt says; most succeed. */
  private static final List<String> FATES =
      List.of(
          "work", "work", "work", "work", "work", "work", "busy", "fail", "hang", "cancel",
          "stumble");

  private final WebhookReceiver receiver = new WebhookReceiver();
  private final WebhookReceiver broken = new WebhookReceiver();
  private final List<Thread> clients = new CopyOnWriteArrayList<>();
  private final Random chance = new Random(1);
  private volatile boolean modelIsAway;
  private volatile boolean stopped;

  MixedLoad() {
    broken.answers(WebhookReceiver.status(500));
  }

  void begin(Service service) {
    var parents = parents(service);
    var outside =
        IntStream.range(0, OUTSIDE).<Runnable>mapToObj(number -> () -> delegate(service, parents));
    var inside = IntStream.range(0, INSIDE).<Runnable>mapToObj(_ -> () -> speak(service));
    Stream.concat(outside, inside)
        .forEach(act -> clients.add(Thread.ofVirtual().start(() -> repeat(act))));
  }

  void modelIsAway(boolean away) {
    modelIsAway = away;
  }

  /** One in ten has a receiver that is broken. */
  private List<String> parents(Service service) {
    var limits = Map.of("max_delegations", 100_000, "max_background_tasks", 1_000);
    var plain = open(service, Map.of("kind", "external", "limits", limits));
    var told =
        open(
            service,
            Map.of(
                "kind", "external", "limits", limits, "callback", Map.of("url", receiver.url())));
    var untold =
        open(
            service,
            Map.of("kind", "external", "limits", limits, "callback", Map.of("url", broken.url())));
    return List.of(plain, plain, plain, plain, plain, told, told, told, told, untold);
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
    } catch (InterruptedException over) {
      Thread.currentThread().interrupt();
    }
  }

  private void delegate(Service service, List<String> parents) {
    var fate = one(FATES);
    var body =
        Map.of(
            "parent_session_id",
            one(parents),
            "description",
            "to " + fate,
            "prompt",
            fate,
            "subagent_type",
            one(AGENTS),
            "timeout_ms",
            fate.equals("hang") ? 2_000 : 60_000,
            "background",
            true);
    var task = service.post("/v1/tasks", body, 202).at("/metadata/task_id").asText();
    if (fate.equals("cancel")) {
      service.post("/v1/tasks/" + task + "/cancel", Map.of(), 200);
    }
    service.get("/v1/tasks/" + task);
  }

  private static void speak(Service service) {
    var session = open(service, Map.of());
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", "Delegate."), 202);
  }

  /** What the model says. */
  Answer answer(Asked asked) throws InterruptedException {
    pause(50, 400);
    if (modelIsAway) {
      throw new Refused(503);
    }
    return switch (asked.prompt()) {
      case "Delegate." -> asked.isFirst() ? delegations() : Answer.says("Thanks.");
      case "fail" -> throw new Refused(400);
      case "hang", "cancel" -> late();
      case "busy" -> refusesEveryThird(asked);
      case "stumble" ->
          asked.isFirst()
              ? Answer.calls(Answer.call("read", Map.of("file_path", "missing")))
              : Answer.says("There is none.");
      default -> works(asked);
    };
  }

  private static Answer delegations() {
    return Answer.calls(Answer.task("work", true), Answer.task("stumble", true));
  }

  private static Answer late() throws InterruptedException {
    TimeUnit.SECONDS.sleep(5);
    return Answer.says("Late.");
  }

  private Answer refusesEveryThird(Asked asked) {
    if (below(3) == 0) {
      throw new Refused(429);
    }
    return works(asked);
  }

  private static Answer works(Asked asked) {
    return asked.isFirst()
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
    synchronized (chance) {
      return chance.nextInt(bound);
    }
  }

  /** No new work. */
  void end() throws InterruptedException {
    stopped = true;
    for (var client : clients) {
      client.join();
    }
  }

  @Override
  public void close() throws InterruptedException {
    end();
    receiver.close();
    broken.close();
  }
}
