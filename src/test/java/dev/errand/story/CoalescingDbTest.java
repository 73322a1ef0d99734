package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script;
import dev.errand.kit.Script.Call;
import dev.errand.kit.StallTool;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.task.Task;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many notices at the same time arrive in order and cause one wake. */
@QuarkusTest
class CoalescingDbTest implements Story {

  private static final int CHILDREN = 50;
  private static final Pattern TASK_ID = Pattern.compile("task_id: (task_\\w+)");

  @Inject TaskKit kit;
  @Inject StallTool stall;

  @Test
  void fiftyNoticesDuringATurnFollowItInOrder() {
    var gate = new Gate();
    var ends = new Gate();
    stall.waitAt(gate);
    kit.children(prompt -> new Script().at(ends).says("result of " + prompt));
    var parent =
        kit.session(
            model -> model.calls(fifty()).calls("stall", Map.of()).saysForever("all fifty"));

    kit.say(parent, "Do fifty things.");
    gate.awaitArrivals(1);
    ends.open();
    kit.tasksOf(parent).forEach(task -> kit.awaitDelivery(task.id()));
    gate.open();
    kit.awaitRest(parent);

    assertThat(kit.tasksOf(parent)).hasSize(CHILDREN);
    assertThat(kit.outline(parent).subList(0, 5))
        .allMatch(line -> !line.equals("notice"))
        .endsWith("assistant: stall", "tool");
    assertThat(kit.outline(parent).subList(5, 5 + CHILDREN)).containsOnly("notice");
    assertThat(kit.outline(parent).subList(5 + CHILDREN, kit.outline(parent).size()))
        .containsExactly("assistant");
    assertThat(endsOfNoticedTasks(parent)).hasSize(CHILDREN).isSorted();
    assertThat(kit.requests(parent)).hasSize(3);
    assertThat(kit.look(parent).generation()).isEqualTo(1);
  }

  @Test
  void fiftyNoticesDuringTheLastModelCallCauseOneWake() {
    var gate = new Gate();
    var ends = new Gate();
    kit.children(prompt -> new Script().at(ends).says("result of " + prompt));
    var parent =
        kit.session(model -> model.calls(fifty()).at(gate).says("wait").saysForever("all fifty"));

    kit.say(parent, "Do fifty things.");
    gate.awaitArrivals(1);
    ends.open();
    kit.tasksOf(parent).forEach(task -> kit.awaitDelivery(task.id()));
    gate.open();
    kit.awaitRest(parent);

    assertThat(endsOfNoticedTasks(parent)).hasSize(CHILDREN).isSorted();
    assertThat(kit.requests(parent)).hasSize(3);
    assertThat(kit.look(parent).generation()).isEqualTo(1);
  }

  private static Call[] fifty() {
    return IntStream.range(0, CHILDREN)
        .mapToObj(number -> Call.backgroundTask("thing " + number))
        .toArray(Call[]::new);
  }

  private List<String> noticedTasks(SessionId parent) {
    return kit.transcript(parent).stream()
        .filter(message -> message.kind() == MessageKind.NOTICE)
        .map(Message::text)
        .map(CoalescingDbTest::taskId)
        .toList();
  }

  private static String taskId(String notice) {
    var found = TASK_ID.matcher(notice);
    assertThat(found.find()).isTrue();
    return found.group(1);
  }

  private List<Instant> endsOfNoticedTasks(SessionId parent) {
    var ends =
        kit.tasksOf(parent).stream()
            .collect(Collectors.toMap(task -> task.id().toString(), task -> endOf(task)));
    return noticedTasks(parent).stream().map(ends::get).toList();
  }

  private static Instant endOf(Task task) {
    return Objects.requireNonNull(task.endedAt());
  }
}
