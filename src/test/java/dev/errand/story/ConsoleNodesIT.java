package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Browser;
import dev.errand.kit.ConsolePage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.ServiceAddress;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the console shows while nodes die and connections break. The first node has the database, so
 * the second one dies.
 */
class ConsoleNodesIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final int CHILDREN = 4;
  private static final long SEED = Long.getLong("console.seed", System.nanoTime());
  private static final int LONGEST_ANSWER = 4_000;
  private static final int CUTS = 12;
  private static final int TRIES = 5;

  @RegisterExtension static final ConsolePage CONSOLE = new ConsolePage();
  @TempDir static Path folder;

  private static StubEndpoint model;
  private static Service first;
  private static Service second;
  private static ServiceAddress address;
  private static volatile CountDownLatch open = new CountDownLatch(1);

  @BeforeAll
  static void start() throws IOException {
    model = StubEndpoint.start(new OpenAiStub(), ConsoleNodesIT::answer);
    first = Service.start(folder.resolve("first"), model.environment());
    var environment = new HashMap<>(model.environment());
    environment.putAll(first.databaseEnvironment());
    second = Service.startWithoutCopy(folder.resolve("second"), environment);
    address = new ServiceAddress();
  }

  @AfterAll
  static void stop() throws Exception {
    open.countDown();
    if (second != null) {
      address.close();
      second.kill();
      first.close();
      model.close();
    }
  }

  /** Leaves the page of the test before, whose connections may break now. */
  @BeforeEach
  void startWhatWasKilled() throws IOException {
    open = new CountDownLatch(1);
    CONSOLE.browser().open("about:blank");
    address.cutAfter(() -> Integer.MAX_VALUE);
    address.remove(first.port());
    address.remove(second.port());
    if (!second.isAlive()) {
      second.startAgain();
    }
    assertThat(CONSOLE.browser().messages()).allMatch(message -> message.contains("net::ERR_"));
  }

  @AfterEach
  void openTheGate() {
    open.countDown();
  }

  /** The page and the work are at the node that dies. */
  @Test
  void anotherNodeTakesOverThePageAndTheWork() throws Exception {
    address.add(second.port());
    var root = delegateAtSecond();
    var lost = runningAtSecond(root);
    var page = watch(address.uri("/console/" + root).toString());

    address.remove(second.port());
    second.kill();
    page.awaitText(".live", "reconnecting");
    assertThat(page.text(".live")).contains("stale since");
    assertThat(page.count(".row")).isEqualTo(CHILDREN + 1);
    address.add(first.port());

    page.awaitText(".live", "● live");
    awaitTakeovers(page, lost);
    finish(page, first, root);
  }

  @Test
  void pageOfALivingNodeShowsThatTheWorkIsTakenOver() throws Exception {
    var root = delegateAtSecond();
    var lost = runningAtSecond(root);
    var page = CONSOLE.open(first, root);
    page.awaitCount(".row .state.running", CHILDREN);
    page.awaitText(".live", "● live");

    second.kill();

    awaitTakeovers(page, lost);
    assertThat(page.text(".live")).isEqualTo("● live");
    finish(page, first, root);
  }

  @Test
  void pageOfANodeThatIsStartedAgainMissesNothing() throws Exception {
    var root = delegate(first);
    var page = watch(second.uri("/console/" + root).toString());

    second.kill();
    page.awaitText(".live", "stale since");
    open.countDown();
    SessionProbe.awaitRest(first, root);
    second.startAgain();

    finish(page, first, root);
  }

  /** Each connection of the page ends at a random place, also within an event. */
  @Test
  void pageWhoseConnectionsBreakShowsTheWholeTree() throws Exception {
    address.add(first.port());
    var root = delegate(first);
    var page = watch(address.uri("/console/" + root).toString());
    System.out.println("-Dconsole.seed=" + SEED);
    var random = new Random(SEED);

    address.cutAfter(() -> random.nextInt(LONGEST_ANSWER));
    for (int cut = 0; cut < CUTS; cut++) {
      var before = address.connections();
      say(first, root, "Go on " + cut + ".");
      await().atMost(TIMEOUT).until(() -> address.connections() > before);
      if (cut == CUTS / 2) {
        open.countDown();
      }
    }
    address.cutAfter(() -> Integer.MAX_VALUE);
    SessionProbe.awaitRest(first, root);

    finish(page, first, root);
  }

  private static Answer answer(ModelCall call) throws InterruptedException {
    var gate = open;
    if (!call.prompt().startsWith("Delegate")) {
      if (!call.isFirst()) {
        gate.await();
      }
      return call.isFirst()
          ? Answer.calls(Answer.call("list", Map.of()))
          : Answer.says("Done: " + call.prompt());
    }
    return call.isFirst()
        ? Answer.calls(
            IntStream.range(0, CHILDREN)
                .mapToObj(number -> Answer.task("Do " + number + ".", true))
                .toArray(Call[]::new))
        : Answer.says("I see.");
  }

  /** The id of a root whose children wait at the gate. */
  private static String delegate(Service node) {
    var root = node.post("/v1/sessions", Map.of("kind", "hosted"), 201).get("id").asText();
    say(node, root, "Delegate.");
    return root;
  }

  /** Like {@link #delegate}; jobs may also run at another node than that of their client. */
  private static String delegateAtSecond() throws IOException {
    for (int time = 0; time < TRIES; time++) {
      var root = delegate(second);
      await().atMost(TIMEOUT).until(() -> running(root) == CHILDREN);
      if (runningAtSecond(root) > 0) {
        return root;
      }
    }
    throw new AssertionError("the second node runs nothing");
  }

  private static long running(String root) {
    return SessionProbe.tasks(first, root).stream()
        .filter(task -> task.get("state").asText().equals("running"))
        .count();
  }

  /** How many children of a root run at the node that was started last. */
  private static int runningAtSecond(String root) throws IOException {
    return first
        .database()
        .withHandle(handle ->
            handle
                .createQuery(
                    """
                    select count(*) from session where root_id = :root and depth > 0 and state = 'running'
                    and node_id = (select id from node order by started_at desc limit 1)
                    """)
                .bind("root", SessionId.parse(root).orElseThrow().value())
                .mapTo(Integer.class)
                .one());
  }

  private static void say(Service node, String session, String text) {
    node.post("/v1/sessions/" + session + "/messages", Map.of("text", text), 202);
  }

  /** Opens a page whose connections are going to break. */
  private static Browser watch(String url) {
    CONSOLE.expect("net::ERR_");
    CONSOLE.browser().open(url);
    CONSOLE.browser().awaitCount(".row .state.running", CHILDREN);
    return CONSOLE.browser();
  }

  private static void awaitTakeovers(Browser page, int expected) {
    await().atMost(TIMEOUT).until(() -> page.count(".badge[title^=taken]") == expected);
    page.awaitCount(".bars .mark-takeover", expected);
  }

  /** Lets the children end, and compares what the page shows with what the service has. */
  private static void finish(Browser page, Service node, String root) {
    open.countDown();
    SessionProbe.awaitRest(node, root);
    page.awaitText(".live", "● live");
    ShownTree.awaitEqual(page, node, root);
    assertThat(ShownTree.ofPage(page)).allMatch(row -> row.matches(".* (completed|idle) .*"));
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() ->
            assertThat(page.count(".message, .notice"))
                .isEqualTo(
                    SessionProbe.roles(node, root).stream()
                        .filter(role -> !role.equals("tool"))
                        .count()));
    assertThat(page.count(".cap.completed")).isEqualTo(page.count(".row") - 1);
  }
}
