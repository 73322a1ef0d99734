package dev.errand.kit;

import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
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
 * Measures latencies on the packaged service, one task after another without other load: from a
 * submission to the first model request of the child, and from the last answer of the child to the
 * next model request of the parent. Run it manually after a build, with the test class path:
 *
 * <pre>{@code java -cp <test class path> dev.errand.kit.LatencyBench [rounds]}</pre>
 */
public final class LatencyBench {

  private static final int DEFAULT_ROUNDS = 200;
  private static final int WARM_UP = 20;
  private static final int QUIET_MS = 60;

  /** Times of the first request and of the last answer, by prompt. */
  private final Map<String, Long> askedAt = new ConcurrentHashMap<>();

  private final Map<String, Long> answeredAt = new ConcurrentHashMap<>();

  /** Times of the first request whose conversation contains the notice, by prompt. */
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
      var highLimit =
          Map.of("kind", "external", "limits", Map.of("max_delegations", WARM_UP + rounds));
      var external = service.post("/v1/sessions", highLimit, 201).get("id");
      for (int round = -WARM_UP; round < rounds; round++) {
        var submission = submit(service, external.asText(), "submitted " + round);
        var delegation = delegate(service, "delegated " + round);
        if (round >= 0) {
          submitted.add(submission);
          delegated.add(delegation[0]);
          resumed.add(delegation[1]);
        }
      }
      report("submission over REST -> first model request of the child", submitted);
      report("tool call of a model -> first model request of the child", delegated);
      report("last answer of child -> next model request of the parent", resumed);
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
    var startedAt = await(askedAt, prompt);
    var calledAt = await(answeredAt, question);
    var resumedAfter = await(resumedAt, question) - await(answeredAt, prompt);
    return new long[] {startedAt - calledAt, resumedAfter};
  }

  private static long await(Map<String, Long> times, String key) throws InterruptedException {
    var time = times.get(key);
    while (time == null) {
      TimeUnit.MILLISECONDS.sleep(1);
      time = times.get(key);
    }
    return time;
  }

  /** Children answer slowly, so that the parent is idle before its child ends. */
  private Answer answer(ModelCall call) throws InterruptedException {
    askedAt.putIfAbsent(call.prompt(), call.arrivedAt());
    if (!call.prompt().startsWith("Delegate ")) {
      TimeUnit.MILLISECONDS.sleep(QUIET_MS);
      answeredAt.put(call.prompt(), System.nanoTime());
      return Answer.says("done");
    }
    if (call.isFirst()) {
      answeredAt.put(call.prompt(), System.nanoTime());
      return Answer.calls(Answer.task(call.prompt().substring("Delegate ".length()), true));
    }
    if (!call.notices().isEmpty()) {
      resumedAt.putIfAbsent(call.prompt(), call.arrivedAt());
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
    var index = (int) Math.ceil(quantile * sorted.size()) - 1;
    return sorted.get(Math.max(0, index)) / 1e6;
  }
}
