package dev.errand.kit;

import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Asked;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures, one task after the other on an otherwise quiet packaged service, how long it takes from
 * a submission to the child's first model request, and from the child's last word to the parent's
 * next model request. Run by hand after a build, with the test class path:
 *
 * <pre>{@code java -cp <test class path> dev.errand.kit.LatencyBench [rounds]}</pre>
 */
public final class LatencyBench {

  private static final int DEFAULT_ROUNDS = 200;
  private static final int WARM_UP = 20;
  private static final int QUIET_MS = 60;

  /** When the model of a prompt was asked the first time, and when it had answered last. */
  private final Map<String, Long> askedAt = new ConcurrentHashMap<>();

  private final Map<String, Long> answeredAt = new ConcurrentHashMap<>();

  /** When a primary was asked with the notice in its conversation. */
  private final Map<String, Long> resumedAt = new ConcurrentHashMap<>();

  private LatencyBench() {}

  public static void main(String... arguments) throws Exception {
    var rounds = arguments.length == 0 ? DEFAULT_ROUNDS : Integer.parseInt(arguments[0]);
    new LatencyBench().run(rounds);
  }

  private void run(int rounds) throws IOException, InterruptedException {
    var home = Files.createTempDirectory("errand-latency");
    try (var endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
        var service = start(home, endpoint)) {
      var submitted = new ArrayList<Long>();
      var delegated = new ArrayList<Long>();
      var resumed = new ArrayList<Long>();
      var roomy = Map.of("kind", "external", "limits", Map.of("max_delegations", WARM_UP + rounds));
      var external = service.post("/v1/sessions", roomy, 201).get("id");
      for (int round = -WARM_UP; round < rounds; round++) {
        var submission = submit(service, external.asText(), "outside " + round);
        var delegation = delegate(service, "inside " + round);
        if (round >= 0) {
          submitted.add(submission);
          delegated.add(delegation[0]);
          resumed.add(delegation[1]);
        }
      }
      report("submitted over REST -> child's first model request", submitted);
      report("called by a model   -> child's first model request", delegated);
      report("child's last word   -> parent's next model request", resumed);
    }
  }

  private static Service start(Path home, StubEndpoint endpoint) throws IOException {
    return Service.start(home, endpoint.environment());
  }

  private long submit(Service service, String parent, String prompt) throws InterruptedException {
    var sentAt = System.nanoTime();
    var body =
        Map.of(
            "parent_session_id",
            parent,
            "description",
            "a task",
            "prompt",
            prompt,
            "background",
            true);
    service.post("/v1/tasks", body, 202);
    return await(askedAt, prompt) - sentAt;
  }

  private long[] delegate(Service service, String prompt) throws InterruptedException {
    var session = service.post("/v1/sessions", Map.of(), 201).get("id").asText();
    var question = "Delegate " + prompt;
    service.post("/v1/sessions/" + session + "/messages", Map.of("text", question), 202);
    var begun = await(askedAt, prompt);
    var calledAt = await(answeredAt, question);
    var back = await(resumedAt, question) - await(answeredAt, prompt);
    return new long[] {begun - calledAt, back};
  }

  private static long await(Map<String, Long> times, String key) throws InterruptedException {
    var time = times.get(key);
    while (time == null) {
      TimeUnit.MILLISECONDS.sleep(1);
      time = times.get(key);
    }
    return time;
  }

  /** Each child is slow enough that its parent has gone to rest before it ends. */
  private Answer answer(Asked asked) throws InterruptedException {
    askedAt.putIfAbsent(asked.prompt(), asked.arrivedAt());
    if (!asked.prompt().startsWith("Delegate ")) {
      TimeUnit.MILLISECONDS.sleep(QUIET_MS);
      answeredAt.put(asked.prompt(), System.nanoTime());
      return Answer.says("done");
    }
    if (asked.isFirst()) {
      answeredAt.put(asked.prompt(), System.nanoTime());
      return Answer.calls(Answer.task(asked.prompt().substring("Delegate ".length()), true));
    }
    if (!asked.notices().isEmpty()) {
      resumedAt.putIfAbsent(asked.prompt(), asked.arrivedAt());
    }
    return Answer.says("ok");
  }

  private static void report(String what, List<Long> nanos) {
    Collections.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "%s: p50 %.1f ms, p99 %.1f ms, max %.1f ms (%d)%n",
        what,
        millis(nanos, 0.50),
        millis(nanos, 0.99),
        millis(nanos, 1),
        nanos.size());
  }

  private static double millis(List<Long> sorted, double quantile) {
    var place = (int) Math.ceil(quantile * sorted.size()) - 1;
    return sorted.get(Math.max(0, place)) / 1e6;
  }
}
