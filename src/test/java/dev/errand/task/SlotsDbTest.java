package dev.errand.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.kit.Gate;
import dev.errand.kit.Scarce;
import dev.errand.kit.Script;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.node.Hints;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.session.SessionState;
import dev.errand.session.Waits;
import dev.errand.tenant.Tenants;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a service with two slots: which tasks begin when they are taken, and in which order. */
@QuarkusTest
@TestProfile(Scarce.class)
class SlotsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject Slots slots;
  @Inject SlotQueue waiting;
  @Inject Tenants tenants;
  @Inject Waits waits;
  @Inject TaskStore tasks;
  @Inject Siblings siblings;
  @Inject FirstRuns firstRuns;
  @Inject IsolatedSteps steps;
  @Inject Hints hints;
  @Inject MeterRegistry registry;

  /** Another test gave the node more slots, and its next heartbeat may be seconds away. */
  @BeforeEach
  void restoreSlots() {
    kit.tamper("update node set slots = 2");
    slots.read();
  }

  @Test
  void tasksBeginByPriorityThenParentsInTurnThenAge() {
    var gates = List.of(running(), running());
    var first = parent();
    var second = parent();
    var third = parent();
    var tasks = submit(first, "f1", "f2", "f3");
    tasks.addAll(submit(second, "s1", "s2"));
    tasks.addAll(submit(third, "t1"));
    tasks.add(kit.submit(first, "urgent", Map.of("priority", 3)));

    assertThat(kit.look(tasks.getFirst()).state()).isEqualTo(TaskState.PENDING);
    assertThat(kit.look(kit.look(tasks.getFirst()).child()).state())
        .isEqualTo(SessionState.WAITING);
    gates.getFirst().open();

    // A parent that joins begins with the next round, after those who wait in it already.
    assertThat(begun(tasks)).containsExactly("urgent", "f1", "f2", "s1", "t1", "f3", "s2");
    gates.getLast().open();
  }

  @Test
  void tenantsAreServedInTurnWhateverTheirPriorities() {
    var gates = List.of(running(), running());
    var light = tenant("light", 1);
    var heavy = tenant("heavy", 3);
    var tricky = tenant("tricky", 1);
    var tasks = new ArrayList<TaskId>();
    IntStream.range(0, 12).forEach(number -> tasks.addAll(of(tricky, "tricky " + number, 100)));
    tasks.addAll(of(light, "light", 0));
    IntStream.range(0, 5).forEach(number -> tasks.addAll(of(heavy, "heavy " + number, 0)));

    gates.getFirst().open();
    var order = begun(tasks).stream().map(prompt -> prompt.replaceFirst(" .*", "")).toList();

    assertThat(order.subList(0, 8))
        .as("each tenant once, then in the proportion of their weights")
        .containsExactlyInAnyOrder(
            "tricky", "light", "heavy", "heavy", "heavy", "tricky", "heavy", "heavy");
    assertThat(order.indexOf("light")).as("behind one task of each other tenant").isLessThan(3);
    gates.getLast().open();
  }

  @Test
  void messagesAndForegroundResultsDoNotWaitForSlots() {
    var gates = List.of(running(), running());
    var waits = submit(parent(), "waits").getFirst();
    var chat = kit.session(model -> model.says("at once"));

    kit.say(chat, "Hello.");
    kit.awaitState(chat, SessionState.IDLE);

    assertThat(kit.look(waits).state()).isEqualTo(TaskState.PENDING);
    gates.forEach(Gate::open);
    kit.awaitEnd(waits);
  }

  /** The parent gives its slot back while it waits, so that its child can take it. */
  @Test
  void foregroundChildOfTheOnlyRunGetsItsSlot() {
    var gate = running();
    kit.child("inner", model -> model.says("found"));
    var parent = kit.session(model -> model.callsTask("inner").thenSays("done"));

    kit.say(parent, "Look for it.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(parent).getLast().text()).startsWith("found");
    gate.open();
  }

  /** Otherwise each such call would keep the task from starting for as long as it waits. */
  @Test
  void callThatReadsAResultDoesNotWaitForATaskThatWaitsForARun() {
    var gates = List.of(running(), running());
    kit.child("inner", model -> model.says("found"));
    var parent = kit.session(model -> model.callsTaskInBackground("inner").thenSays("on its way"));
    kit.say(parent, "Look for it.");
    kit.awaitState(parent, SessionState.IDLE);
    var task = kit.tasksOf(parent).getFirst().id();

    kit.script(parent)
        .calls("task_output", Map.of("task_id", task.toString(), "wait_ms", 60_000))
        .thenSays("later")
        .saysForever("noted");
    kit.say(parent, "Have you found it?");
    await().atMost(Duration.ofSeconds(30)).until(() -> kit.toolResults(parent).size() == 2);

    assertThat(kit.toolResults(parent).getLast().text())
        .contains("\"is_running\":true", "The task has not begun", "End your turn");
    gates.forEach(Gate::open);
    kit.awaitEnd(task);
    kit.awaitRest(parent);
  }

  @Test
  void tenantAtItsLimitLeavesSlotsToOthers() {
    var gates = List.of(running(), running());
    var narrow = tenant("narrow", 1);
    kit.tamper(
        "update tenant set max_concurrent_runs = 1, changed_at = now() where id = ?", narrow);
    tenants.changed();
    var inner = new Gate();
    kit.child("one", model -> model.at(inner).says("1"));
    kit.child("two", model -> model.says("2"));
    kit.child("other", model -> model.says("3"));
    var one = of(narrow, kit.submit(parent(), "one"));
    var two = of(narrow, kit.submit(parent(), "two"));
    var other = kit.submit(parent(), "other");

    gates.forEach(Gate::open);
    inner.awaitArrivals(1);
    kit.awaitEnd(other);

    assertThat(kit.look(two).state()).isEqualTo(TaskState.PENDING);
    inner.open();
    assertThat(kit.awaitEnd(one).state()).isEqualTo(TaskState.COMPLETED);
    assertThat(kit.awaitEnd(two).state()).isEqualTo(TaskState.COMPLETED);
  }

  /** More nodes are started by this number. */
  @Test
  void tasksThatWaitForASlotAreAGauge() {
    var gates = List.of(running(), running());
    var tasks = submit(parent(), "one", "two", "three");

    await()
        .untilAsserted(
            () -> assertThat(registry.get("errand.tasks.waiting").gauge().value()).isEqualTo(3));

    gates.forEach(Gate::open);
    tasks.forEach(kit::awaitEnd);
  }

  @Test
  void taskThatWaitsCanBeCancelled() {
    var gates = List.of(running(), running());
    var waits = submit(parent(), "never").getFirst();

    kit.cancel(waits);

    assertThat(kit.awaitEnd(waits).state()).isEqualTo(TaskState.CANCELLED);
    assertThat(kit.look(waits).attempts()).isZero();
    gates.forEach(Gate::open);
  }

  /** Its row is still there. */
  @Test
  void slotsOfADeadNodeDoNotCount() {
    var gates = List.of(running(), running());

    kit.tamper(
        """
        insert into node (id, name, lease_until, slots)
        values (gen_random_uuid(), 'dead', clock_timestamp() - interval '1 second', 100)
        """);
    slots.read();

    assertThat(slots.free()).isNotPositive();
    gates.forEach(Gate::open);
  }

  /** More slots appear, as those of a new node do, and several nodes admit the same tasks. */
  @Test
  void tasksAreAdmittedOnceWithoutAnyHint() throws Exception {
    var gates = List.of(running(), running());
    var tasks = new ArrayList<TaskId>();
    for (int parent = 0; parent < 4; parent++) {
      tasks.addAll(submit(parent(), "p%d a".formatted(parent), "p%d b".formatted(parent)));
    }

    await()
        .until(() -> {
          kit.tamper("update node set slots = 100");
          return waiting.first(1).isEmpty() || admittedByAll();
        });

    assertThat(tasks)
        .allSatisfy(task -> {
          assertThat(kit.awaitEnd(task).state()).isEqualTo(TaskState.COMPLETED);
          assertThat(kit.look(task).attempts()).isEqualTo(1);
          assertThat(kit.outline(kit.look(task).child())).containsExactly("user", "assistant");
        });
    gates.forEach(Gate::open);
  }

  private boolean admittedByAll() throws InterruptedException {
    try (var threads = Executors.newFixedThreadPool(4)) {
      threads.invokeAll(
          IntStream.range(0, 4)
              .<Callable<Void>>mapToObj(_ ->
                  () -> {
                    node().look();
                    return null;
                  })
              .toList());
    }
    return waiting.first(1).isEmpty();
  }

  /** What another node does. */
  private SlotAdmission node() {
    return new SlotAdmission(
        slots, waiting, tenants, waits, tasks, siblings, firstRuns, steps, hints);
  }

  /** A run that takes a slot until its gate is open. */
  private Gate running() {
    var gate = new Gate();
    var name = "takes a slot " + UUID.randomUUID();
    kit.child(name, model -> model.at(gate).says("done"));
    kit.submit(kit.externalSession(), name);
    gate.awaitArrivals(1);
    // The numbers may be older than this run.
    slots.read();
    return gate;
  }

  private SessionId parent() {
    return kit.externalSession();
  }

  private List<TaskId> submit(SessionId parent, String... prompts) {
    kit.children(_ -> new Script().says("done"));
    return new ArrayList<>(
        List.of(prompts).stream().map(prompt -> kit.submit(parent, prompt)).toList());
  }

  /** A new tenant, so that no earlier test has moved its turn. */
  private String tenant(String name, int weight) {
    var id = name + "-" + UUID.randomUUID();
    kit.tamper("insert into tenant (id, weight) values (?, ?)", id, weight);
    return id;
  }

  private List<TaskId> of(String tenant, String prompt, int priority) {
    kit.children(_ -> new Script().says("done"));
    return List.of(of(tenant, kit.submit(parent(), prompt, Map.of("priority", priority))));
  }

  /** Moves a task that waits, with its tree, to a tenant. */
  private TaskId of(String tenant, TaskId task) {
    kit.tamper("update task set tenant = ? where id = ?", tenant, task.value());
    kit.tamper(
        "update session set tenant = ? where root_id = ?", tenant, kit.look(task).root().value());
    return task;
  }

  /** The prompts of tasks in the order in which they got their slots. */
  private List<String> begun(List<TaskId> tasks) {
    tasks.forEach(kit::awaitEnd);
    var ids = String.join(",", tasks.stream().map(task -> "'" + task.value() + "'").toList());
    var prompts =
        "select string_agg(prompt, ',' order by (select queued_at from session where session.id = session_id)) from task where id in (%s)";
    return List.of(kit.row(prompts.formatted(ids), String.class).split(","));
  }
}
