package dev.errand.delivery.outgoing;

import static dev.errand.kit.Http.given;
import static dev.errand.kit.WebhookReceiver.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.hook.HookSender;
import dev.errand.kit.Gate;
import dev.errand.kit.Http;
import dev.errand.kit.HttpAnswer;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import dev.errand.model.ModelException.Code;
import dev.errand.outbox.ClaimedDelivery;
import dev.errand.outbox.Delivery;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.DeliveryState;
import dev.errand.outbox.OutgoingQueue;
import dev.errand.outbox.OutgoingRows;
import dev.errand.tenant.Tenants;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** External parents with a callback are notified by signed posts. */
@QuarkusTest
class WebhookDbTest implements Story {

  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @Inject TaskKit kit;
  @Inject ObjectMapper mapper;
  @Inject OutgoingQueue queue;
  @Inject OutgoingRows rows;
  @Inject OutgoingRelay relay;
  @Inject HookDelivery hookDelivery;
  @Inject HookSender hooks;
  @Inject WebhookDelivery delivery;
  @Inject WebhookConfig config;
  @Inject Tenants tenants;

  private final WebhookReceiver receiver = new WebhookReceiver();

  @AfterEach
  void close() {
    receiver.close();
  }

  @Test
  void endedTaskIsPostedAsASignedCloudEvent() throws Exception {
    var parent = parent();
    kit.child("dig", model -> model.says("gold"));

    var task = kit.submit(parent, "dig");
    var post = receiver.awaitPosts(1).getFirst();
    kit.awaitDelivery(task);

    WebhookReceiver.verify(post, SECRET);
    var event = mapper.readTree(post.body());
    assertThat(event.get("specversion").asText()).isEqualTo("1.0");
    assertThat(event.get("id").asText()).startsWith("dlv_").isEqualTo(post.header("webhook-id"));
    assertThat(event.get("source").asText()).isEqualTo("/v1/sessions/" + parent);
    assertThat(event.get("type").asText()).isEqualTo("background_task.completed");
    assertThat(event.get("subject").asText()).isEqualTo(task.toString());
    assertThat(event.get("time").asText()).endsWith("Z");
    assertThat(event.has("datacontenttype")).isFalse();
    assertThat(event.at("/data/success").asBoolean()).isTrue();
    assertThat(event.at("/data/output").asText()).isEqualTo("gold");
    assertThat(event.at("/data/metadata/task_id").asText()).isEqualTo(task.toString());
    assertThat(event.at("/data/metadata/status").asText()).isEqualTo("completed");
    assertThat(event.at("/data/metadata/usage/turns").asInt()).isEqualTo(1);
    assertThat(event.at("/data/notice").asText()).contains("<task_notice>", "gold");
    assertThat(event.at("/data/origin/chat_id").asText()).isEqualTo("42");
    assertThat(kit.outline(parent))
        .as("the notice is also stored in the session")
        .containsExactly("notice");
  }

  @Test
  void postsOfCancelledAndFailedTasksHaveTheirOwnTypes() throws Exception {
    var gate = new Gate();
    var parent = parent();
    kit.child("dig", model -> model.at(gate).says("gold"));
    kit.child("fail", model -> model.fails(Code.MODEL_UNAUTHORIZED));

    var task = kit.submit(parent, "dig");
    gate.awaitArrivals(1);
    kit.cancel(task);
    kit.awaitDelivery(task);
    kit.awaitDelivery(kit.submit(parent, "fail"));

    assertThat(receiver.posts().stream().map(post -> read(post.body(), "/type")))
        .containsExactly("background_task.cancelled", "background_task.failed");
  }

  /** The attempts of the row include the failures and the success. */
  @Test
  void postIsRepeatedUnchangedUntilTheReceiverAcceptsIt() throws Exception {
    receiver.answers(
        status(500), status(500), status(200).withDelay(Duration.ofSeconds(30)), status(200));
    var parent = parent();
    kit.child("dig", model -> model.says("gold"));

    var task = kit.submit(parent, "dig");
    var posts = receiver.awaitPosts(4);
    kit.awaitDelivery(task);

    assertThat(posts).hasSize(4);
    assertThat(posts.stream().map(post -> post.header("webhook-id")).distinct()).hasSize(1);
    assertThat(posts.stream().map(post -> post.body()).distinct()).hasSize(1);
    for (var post : posts) {
      WebhookReceiver.verify(post, SECRET);
    }
    assertThat(states(task)).containsExactly("delivered");
    task(task).body("delivery.attempts", is(4));
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void postsOfOneSessionArriveInTheirOrder() {
    receiver.answers(
        status(500), status(200).withDelay(Duration.ofMillis(300)), status(500), status(200));
    var parent = parent();
    var tasks = new ArrayList<TaskId>();
    for (var prompt : List.of("one", "two", "three")) {
      kit.child(prompt, model -> model.says(prompt));
      tasks.add(kit.submit(parent, prompt));
      kit.awaitEnd(tasks.getLast());
    }
    kit.awaitRest(parent);

    assertThat(posted("/data/output")).containsExactly("one", "one", "two", "two", "three");
    assertThat(posted("/sequence")).containsExactly("1", "1", "2", "2", "3");
  }

  /** No post is claimed while the callback is locked, so that both tasks end before the first. */
  @Test
  void refusedPostDelaysTheLaterOnesForThreeAttemptsOnly() {
    receiver.answers(status(200));
    receiver.refuses("poison");
    var parent = parent();
    kit.child("first", model -> model.says("poison"));
    kit.child("second", model -> model.says("honey"));

    var tasks = new ArrayList<TaskId>();
    delayRepetition(parent, 3);
    try {
      QuarkusTransaction.requiringNew()
          .run(() -> {
            kit.tamper("set local idle_in_transaction_session_timeout = 0");
            kit.tamper(
                "select 1 from callback where session_id = ? for no key update", parent.value());
            for (var prompt : List.of("first", "second")) {
              tasks.add(kit.submit(parent, prompt));
              kit.awaitEnd(tasks.getLast());
            }
          });
      awaitState(tasks.getLast(), "delivered");
    } finally {
      endDelay();
    }
    var first = tasks.getFirst();
    kit.tamper("update outbox set available_at = now() where task_id = ?", first.value());
    awaitState(first, "dead");

    assertThat(posted("/sequence")).startsWith("1", "1", "1").containsOnlyOnce("2");
    assertThat(posted("/sequence").lastIndexOf("1"))
        .as("the refused post is repeated on its own")
        .isGreaterThan(posted("/sequence").indexOf("2"));
    receiver.answers(status(200));
    given().post("/v1/deliveries/{id}/retry", delivery(first)).then().statusCode(200);
    kit.awaitDelivery(first);
    assertThat(posted("/sequence")).endsWith("1");
  }

  @Test
  void acknowledgedResultIsNotPostedAndLeavesNoGap() {
    var parent = parent();
    var task = endedTaskWithDelayedPost(parent);
    given().get("/v1/tasks/{id}/output", task.toString()).then().statusCode(200);
    assertThat(states(task)).as("after a GET").containsExactly("pending");

    given().post("/v1/tasks/{id}/ack", task.toString()).then().statusCode(200);
    kit.child("dig more", model -> model.says("silver"));
    kit.awaitDelivery(kit.submit(parent, "dig more"));

    assertThat(posted("/data/output")).containsExactly("silver");
    assertThat(posted("/sequence")).containsExactly("1");
  }

  @Test
  void foregroundCallerWhoLeftGetsAPostAtOnce() throws Exception {
    var gate = new Gate();
    var parent = parent();
    kit.child("dig", model -> model.at(gate).says("gold"));
    var body =
        "{\"parent_session_id\": \"%s\", \"description\": \"a task\", \"prompt\": \"dig\"}"
            .formatted(parent);
    var address = Http.uri("/v1/tasks");
    try (var socket = new Socket(address.getHost(), address.getPort())) {
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      var request =
          """
          POST /v1/tasks HTTP/1.1\r
          Host: localhost\r
          Content-Type: application/json\r
          Prefer: wait=600\r
          Content-Length: %d\r
          \r
          %s\
          """
              .formatted(body.length(), body);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      gate.awaitArrivals(1);
      socket.shutdownOutput();
      assertThat(socket.getInputStream().read()).as("the server closes its side").isEqualTo(-1);
    }
    gate.open();
    receiver.awaitPosts(1);
    kit.awaitRest(parent);

    assertThat(states(kit.awaitTask(parent))).containsExactly("delivered");
  }

  @Test
  void redirectIsAFailureAndIsNotFollowed() {
    try (var elsewhere = new WebhookReceiver()) {
      receiver.answers(status(302).withHeader("Location", elsewhere.url()), status(200));
      var parent = parent();
      kit.child("dig", model -> model.says("gold"));

      var task = kit.submit(parent, "dig");
      kit.awaitDelivery(task);

      assertThat(receiver.posts()).hasSize(2);
      assertThat(elsewhere.posts()).isEmpty();
    }
  }

  @Test
  void deliveryWhoseScheduleIsUsedUpIsDeadWithItsReason() {
    receiver.answers(status(500));
    var parent = parent();
    kit.child("dig", model -> model.says("gold"));

    var task = kit.submit(parent, "dig");
    awaitState(task, "dead");

    assertThat(receiver.posts()).hasSize(config.schedule().size());
    task(task)
        .body("delivery.attempts", is(config.schedule().size()))
        .body("delivery.last_error", is("HTTP 500"));
    assertThat(given().get("/v1/stats").then().extract().<Integer>path("deliveries.dead"))
        .isPositive();
  }

  @Test
  void status410DisablesTheCallback() {
    receiver.answers(status(410));
    var parent = parent();
    kit.child("dig", model -> model.says("gold"));
    kit.child("dig more", model -> model.says("silver"));

    var first = kit.submit(parent, "dig");
    awaitState(first, "dead");
    var second = kit.submit(parent, "dig more");
    kit.awaitDelivery(second);

    assertThat(receiver.posts()).hasSize(1);
    assertThat(callbackState(parent)).isEqualTo("disabled");
    task(first).body("delivery.last_error", is("HTTP 410"));
    assertThat(
            kit.row(
                "select target from outbox where task_id = '" + second.value() + "'", String.class))
        .isEqualTo("session");
    assertThat(kit.outline(parent)).containsExactly("notice", "notice");
  }

  /** The first post cannot be claimed while its callback is locked, and then not for an hour. */
  @Test
  void pendingDeliveryOfADisabledCallbackBecomesDead() {
    receiver.answers(status(410));
    var parent = parent();
    kit.children(_ -> new Script().says("done"));

    var first =
        QuarkusTransaction.requiringNew()
            .call(() -> {
              kit.tamper("set local idle_in_transaction_session_timeout = 0");
              kit.tamper(
                  "select 1 from callback where session_id = ? for no key update", parent.value());
              var task = kit.submit(parent, "dig");
              kit.awaitEnd(task);
              kit.tamper(
                  "update outbox set sequence = 0, out_of_turn = true, available_at = now() + interval '1 hour' where task_id = ?",
                  task.value());
              return task;
            });
    var second = kit.submit(parent, "dig more");
    awaitState(second, "dead");
    awaitState(first, "dead");

    assertThat(receiver.posts()).hasSize(1);
    task(first).body("delivery.last_error", is("the callback is disabled"));
  }

  @Test
  void foregroundCallerThatReceivedTheAnswerGetsNoPost() {
    var parent = parent();
    kit.child("dig", model -> model.says("gold"));

    kit.post(
            Map.of(
                "parent_session_id", parent.toString(), "description", "a task", "prompt", "dig"))
        .then()
        .statusCode(200);
    kit.awaitRest(parent);

    assertThat(states(kit.awaitTask(parent))).containsExactly("consumed");
    assertThat(receiver.posts()).isEmpty();
  }

  @Test
  void foregroundCallerThatStoppedWaitingGetsAPost() {
    var gate = new Gate();
    var parent = parent();
    kit.child("dig", model -> model.at(gate).says("gold"));

    kit.postWithoutWaiting(parent, "dig");
    gate.awaitArrivals(1);
    gate.open();
    var post = receiver.awaitPosts(1).getFirst();
    kit.awaitRest(parent);

    assertThat(read(post.body(), "/type")).isEqualTo("subagent.completed");
  }

  @Test
  void severalConcurrentRelaysPostOnce() throws Exception {
    var parent = parent();
    var task = endedTaskWithDelayedPost(parent);

    try (var threads = Executors.newFixedThreadPool(4)) {
      var relays =
          IntStream.range(0, 4)
              .mapToObj(_ ->
                  new OutgoingRelay(queue, rows, delivery, hookDelivery, hooks, config, tenants));
      kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
      threads.invokeAll(
          relays
              .<Callable<Boolean>>map(relay ->
                  () -> {
                    relay.runDue();
                    return true;
                  })
              .toList());
    }
    kit.awaitDelivery(task);

    assertThat(receiver.posts()).hasSize(1);
  }

  /**
   * The node dies between the post and the commit that marks it; the claim expires, here not before
   * it is told to.
   */
  @Test
  void crashBetweenPostAndMarkRepeatsThePostWithTheSameId() {
    var parent = parent();
    kit.tamper(
        """
        create sequence refused_marks;
        create function refuse_marks() returns trigger language plpgsql as
          'begin perform nextval(''refused_marks''); raise exception ''crash''; end';
        create trigger refuse_marks before update on outbox for each row
          when (old.session_id = '%1$s' and old.claim is not null and new.claim is null) execute function refuse_marks();
        create function keep_claim() returns trigger language plpgsql as
          'begin new.claimed_until := now() + interval ''1 hour''; return new; end';
        create trigger keep_claim before update on outbox for each row
          when (old.session_id = '%1$s' and old.claim is null and new.claim is not null) execute function keep_claim()
        """
            .formatted(parent.value()));
    kit.child("dig", model -> model.says("gold"));
    var task = kit.submit(parent, "dig");
    try {
      receiver.awaitPosts(1);
      await().until(() -> kit.row("select last_value from refused_marks", Integer.class) >= 2);
      assertThat(states(task)).containsExactly("pending");
    } finally {
      kit.tamper(
          "drop function refuse_marks() cascade; drop sequence refused_marks; drop function keep_claim() cascade");
    }

    assertThat(receiver.posts()).as("the claim is valid").hasSize(1);
    kit.tamper("update outbox set claimed_until = now() where task_id = ?", task.value());
    kit.awaitDelivery(task);

    var posts = receiver.posts();
    assertThat(posts).hasSize(2);
    assertThat(posts.stream().map(post -> post.header("webhook-id")).distinct()).hasSize(1);
    assertThat(kit.outline(parent)).containsExactly("notice");
  }

  @Test
  void lockedCallbackDelaysOnlyItsOwnPosts() {
    kit.children(_ -> new Script().says("done"));
    var locked = parent();
    var free = parent();

    QuarkusTransaction.requiringNew()
        .run(() -> {
          kit.tamper("set local idle_in_transaction_session_timeout = 0");
          kit.tamper("select 1 from callback where session_id = ? for update", locked.value());
          kit.awaitEnd(kit.submit(locked, "one"));
          kit.awaitDelivery(kit.submit(free, "two"));
          assertThat(receiver.posts()).hasSize(1);
        });

    receiver.awaitPosts(2);
  }

  @Test
  void hangingReceiverDelaysNeitherOtherReceiversNorSessions() {
    receiver.answers(status(200).withDelay(Duration.ofSeconds(30)));
    var hanging = Stream.generate(this::parent).limit(config.concurrencyPerHost() + 4).toList();
    kit.children(_ -> new Script().saysForever("done"));
    var from = System.nanoTime();
    hanging.forEach(parent -> kit.submit(parent, "hang"));
    receiver.awaitPosts(config.concurrencyPerHost());
    try (var other = new WebhookReceiver()) {
      var quick = parent(other.url().replace("127.0.0.1", "localhost"));
      var plain = kit.externalSession();

      var postedTask = kit.submit(quick, "quick");
      var storedTask = kit.submit(plain, "kept");
      kit.awaitDelivery(postedTask);
      kit.awaitDelivery(storedTask);

      var posts = receiver.posts().size();
      var rounds = 1 + (System.nanoTime() - from) / config.totalTimeout().toNanos();
      assertThat(posts).isLessThanOrEqualTo((int) rounds * config.concurrencyPerHost());
    } finally {
      receiver.answers(status(200));
    }
    await().until(() -> hanging.stream().allMatch(this::isSettled));
  }

  @Test
  void manyPostsOfATenantLeaveRoomForThoseOfAnother() {
    var parents = Stream.generate(this::parent).limit(6).toList();
    var tasks = parents.stream().map(this::endedTaskWithDelayedPost).toList();
    var limits = new InFlight.InFlightLimits(5, 1, 3, 1);
    var inFlight = InFlight.none();
    inFlight.enter(postOf("busy", "full"));
    var claimed = new ArrayList<ClaimedDelivery>();

    assertThatThrownBy(() ->
            QuarkusTransaction.requiringNew()
                .run(() -> {
                  for (int i = 0; i < tasks.size(); i++) {
                    kit.tamper(
                        "update outbox set tenant = ?, receiver = ?, available_at = now() - ? * interval '1 hour'"
                            + " where task_id = ?",
                        i == 5 ? "quiet" : "busy",
                        i < 2 ? "full" : "host-" + i,
                        9 - i,
                        tasks.get(i).value());
                  }
                  var due = queue.due(inFlight.open(List.of(), limits));
                  claimed.addAll(
                      queue.claim(
                          inFlight.choose(due, limits),
                          new OutgoingQueue.SendLeases(TIMEOUT, TIMEOUT)));
                  throw new IllegalStateException("rolled back");
                }))
        .hasMessage("rolled back");

    assertThat(claimed)
        .extracting(post -> post.delivery().to(), ClaimedDelivery::tenant)
        .containsExactlyInAnyOrder(
            tuple(parents.get(2), "busy"),
            tuple(parents.get(3), "busy"),
            tuple(parents.get(5), "quiet"));
    kit.tamper("update outbox set available_at = now() where state = 'pending'");
    await().until(() -> parents.stream().allMatch(this::isSettled));
  }

  private static ClaimedDelivery postOf(String tenant, String host) {
    var id = UUID.randomUUID();
    var delivery = new Delivery(id, SessionId.next(), "webhook", null, Instant.EPOCH, null);
    return new ClaimedDelivery(delivery, id, DeliveryKind.MESSAGE, id, tenant, host, 1L, "{}");
  }

  @Test
  void rowThatWaitsForItsNextAttemptIsNotOverdue() {
    receiver.answers(status(503).withHeader("Retry-After", "3600"), status(200));
    var parent = parent();
    kit.child("dig", model -> model.says("gold"));
    delayRepetition(parent, 1);
    TaskId task;
    try {
      task = kit.submit(parent, "dig");
      await().untilAsserted(() -> task(task).body("delivery.attempts", is(1)));
    } finally {
      endDelay();
    }

    await("nothing is overdue, of other tests neither")
        .until(() -> given().get("/v1/stats").path("oldest_undelivered_seconds") == null);

    kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
    kit.awaitRest(parent);
  }

  @Test
  void sessionWithPendingPostsCanBeDeleted() {
    var parent = parent();
    var task = endedTaskWithDelayedPost(parent);

    given().delete("/v1/sessions/{id}", parent.toString()).then().statusCode(204);

    given().get("/v1/sessions/{id}", parent.toString()).then().statusCode(404);
    kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
    relay.runDue();
    kit.child("dig more", model -> model.says("silver"));
    var later = kit.submit(parent(), "dig more");
    kit.awaitDelivery(later);
    assertThat(posted("/subject")).containsExactly(later.toString());
  }

  @Test
  void childWhoseEndIsNotDeliveredCannotBeDeleted() {
    var parent = parent();
    var task = endedTaskWithDelayedPost(parent);

    given().delete("/v1/sessions/{id}", kit.look(task).child().toString()).then().statusCode(409);

    kit.tamper("update outbox set available_at = now() where task_id = ?", task.value());
    kit.awaitDelivery(task);
  }

  /** Submits a task and waits for its end; its post is due in an hour. */
  private TaskId endedTaskWithDelayedPost(SessionId parent) {
    kit.child("dig", model -> model.says("gold"));
    kit.tamper(
        """
        create or replace function delay_posts() returns trigger language plpgsql as
          'begin new.available_at := now() + interval ''1 hour''; return new; end';
        create trigger delay_posts before insert on outbox for each row
          when (new.session_id = '%s') execute function delay_posts()
        """
            .formatted(parent.value()));
    try {
      var task = kit.submit(parent, "dig");
      kit.awaitEnd(task);
      return task;
    } finally {
      kit.tamper("drop trigger delay_posts on outbox");
    }
  }

  /** From now on, posts to the session's callback wait an hour after this many failures. */
  private void delayRepetition(SessionId parent, int failures) {
    kit.tamper(
        """
        create or replace function delay_repetition() returns trigger language plpgsql as
          'begin new.available_at := now() + interval ''1 hour''; return new; end';
        create trigger delay_repetition before update on outbox for each row
          when (new.session_id = '%s' and new.attempts = %d and new.available_at > old.available_at)
          execute function delay_repetition()
        """
            .formatted(parent.value(), failures));
  }

  private void endDelay() {
    kit.tamper("drop trigger delay_repetition on outbox");
  }

  private SessionId parent() {
    return parent(receiver.url());
  }

  private SessionId parent(String url) {
    return kit.externalSession(
        Map.of(
            "callback",
            Map.of("url", url, "secret", SECRET),
            "origin",
            Map.of("channel", "chat", "chat_id", "42")));
  }

  private void awaitState(TaskId task, String state) {
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              relay.runDue();
              return states(task);
            },
            List.of(state)::equals);
  }

  /** A value of each post, in the order in which they arrived. */
  private List<String> posted(String pointer) {
    return receiver.posts().stream().map(post -> read(post.body(), pointer)).toList();
  }

  private static HttpAnswer task(TaskId task) {
    return given().get("/v1/tasks/{id}", task.toString()).then();
  }

  private static String delivery(TaskId task) {
    return given().get("/v1/deliveries?task_id={task}", task.toString()).path("items[0].id");
  }

  private List<String> states(TaskId task) {
    return kit.look(task).delivery().stream().map(DeliveryState::word).toList();
  }

  private boolean isSettled(SessionId parent) {
    return kit.tasksOf(parent).stream()
        .allMatch(
            task -> task.delivery().filter(state -> state != DeliveryState.PENDING).isPresent());
  }

  private static String callbackState(SessionId parent) {
    return given().get("/v1/sessions/{id}", parent.toString()).path("callback.state");
  }

  private String read(String json, String pointer) {
    try {
      return mapper.readTree(json).at(pointer).asText();
    } catch (JsonProcessingException exception) {
      throw new AssertionError(exception);
    }
  }
}
