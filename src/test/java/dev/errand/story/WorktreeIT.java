package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.Invariants;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Rare;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.postgres.Failpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A primary agent delegates two changes of the same file to two children in copies of its
 * workspace. Both finish; the first patch applies, the second conflicts, and the agent merges it.
 * The process dies in each phase. When it is started again, no change is lost or done twice, and no
 * copy remains. The process that recovers from one crash is the one that dies in the next case.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorktreeIT {

  private static final Set<Failpoint> RARE = EnumSet.of(Failpoint.DELEGATED, Failpoint.RELAYED);

  /** {@link FailpointsIT} covers those that are rare here, too. */
  private static final List<Failpoint> PHASES =
      Stream.of(
              Failpoint.DELEGATED,
              Failpoint.WORKTREE_CHECKED_OUT,
              Failpoint.CHANGE_COMPUTED,
              Failpoint.RELAYED,
              Failpoint.PATCH_PLANNED,
              Failpoint.FILE_PATCHED)
          .filter(phase -> Rare.ALSO || !RARE.contains(phase))
          .toList();

  private static final String CHANGE = "Change line 9 as ";
  private static final Pattern TASK = Pattern.compile("task_id: (task_\\w+)");
  private static final String TEXT =
      IntStream.rangeClosed(1, 20).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());

  private final Path home;
  private final StubEndpoint endpoint;
  private final Service service;
  private final Map<String, String> environment = new HashMap<>();

  WorktreeIT(@TempDir Path home) throws IOException {
    this.home = home.toRealPath();
    endpoint = StubEndpoint.start(new OpenAiStub(), WorktreeIT::answer);
    environment.putAll(endpoint.environment());
    dieAt(PHASES.getFirst());
    service = Service.start(this.home.resolve("service"), environment);
  }

  static List<Failpoint> phases() {
    return PHASES;
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  @ParameterizedTest
  @MethodSource("phases")
  void changesOfTwoChildrenAreMergedOnceAndNoCopyRemains(Failpoint phase) throws Exception {
    var workspace = repository(phase);
    Files.createFile(armed());
    var session =
        service
            .post("/v1/sessions", Map.of("workspace", workspace.toString()), 201)
            .get("id")
            .asText();
    say(session);
    service.awaitDeath();

    Files.delete(armed());
    dieAt(PHASES.get((PHASES.indexOf(phase) + 1) % PHASES.size()));
    service.startAgain();
    SessionProbe.awaitRest(service, session);
    check(session, workspace);
    delete(session);

    await("copies are deleted")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(copies()).isEmpty());
  }

  /** The run that the message starts may end the process before the answer is sent. */
  private void say(String session) {
    Service.mayEndDuring(() ->
        service.post(
            "/v1/sessions/" + session + "/messages",
            Map.of("text", "Change the line twice."),
            202));
  }

  private void check(String session, Path workspace) throws Exception {
    assertThat(endpoint.errors()).isEmpty();
    assertThat(SessionProbe.lastText(service, session)).isEqualTo("Both changes are in.");
    assertThat(workspace.resolve("a.txt"))
        .content()
        .isEqualTo(TEXT.replace("line 9\n", "line 9 as one and two\n"));
    assertThat(workspace.resolve("one.txt")).content().isEqualTo("one\n");
    assertThat(workspace.resolve("two.txt")).content().isEqualTo("two\n");
    assertThat(git(workspace, "status", "--porcelain"))
        .isEqualTo(" M a.txt\n?? one.txt\n?? two.txt\n");
    var tasks = SessionProbe.tasks(service, session);
    assertThat(tasks).hasSize(2);
    for (var task : tasks) {
      assertThat(task.get("state").asText()).isEqualTo("completed");
      assertThat(task.at("/changes/files").toString())
          .contains("\"a.txt\"", "modified", "added")
          .contains(task.get("description").asText() + ".txt");
    }
    var root = SessionId.parse(session).orElseThrow();
    assertThat(Invariants.broken(service.database(), List.of(root))).isEmpty();
  }

  private void delete(String session) {
    assertThat(service.delete("/v1/sessions/" + session)).isEqualTo(204);
  }

  private List<String> copies() throws IOException {
    var folder = home.resolve("service/worktrees");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var found = Files.list(folder)) {
      return found.map(path -> path.getFileName().toString()).toList();
    }
  }

  private Path repository(Failpoint phase) throws Exception {
    var workspace = Files.createDirectories(home.resolve("work/" + phase));
    Files.writeString(workspace.resolve("a.txt"), TEXT);
    git(workspace, "init", "-q");
    git(workspace, "add", "-A");
    git(
        workspace,
        "-c",
        "user.name=user",
        "-c",
        "user.email=user@example.org",
        "commit",
        "-q",
        "-m",
        "base");
    return workspace;
  }

  private static String git(Path folder, String... arguments) throws Exception {
    var command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    var process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    var output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private void dieAt(Failpoint phase) {
    environment.put(
        "JAVA_TOOL_OPTIONS",
        "-Derrand.failpoint=%s -Derrand.failpoint.armed-by=%s -Derrand.worktrees.stray-after=10s"
            .formatted(phase, armed()));
  }

  private Path armed() {
    return home.resolve("armed");
  }

  private static Answer answer(ModelCall call) {
    return call.prompt().startsWith(CHANGE) ? child(call) : primary(call);
  }

  private static long calls(ModelCall call) {
    return call.turns().stream().mapToLong(turn -> turn.calls().size()).sum();
  }

  private static Answer child(ModelCall call) {
    var name = call.prompt().substring(CHANGE.length());
    return switch ((int) calls(call)) {
      case 0 -> Answer.calls(read());
      case 1 -> Answer.calls(edit("line 9\n", "line 9 as " + name + "\n"));
      case 2 ->
          Answer.calls(
              Answer.call("write", Map.of("file_path", name + ".txt", "content", name + "\n")));
      default -> Answer.says("I changed line 9 as " + name + ".");
    };
  }

  private static Answer primary(ModelCall call) {
    var done = (int) calls(call);
    if (done == 0) {
      return Answer.calls(delegation("one"), delegation("two"));
    }
    var tasks =
        call.notices().stream()
            .flatMap(notice -> TASK.matcher(notice.text()).results())
            .map(result -> result.group(1))
            .distinct()
            .toList();
    if (tasks.size() < 2) {
      return Answer.says("I wait for the others.");
    }
    return switch (done) {
      case 2 -> Answer.calls(apply(tasks.get(0), List.of()));
      case 3 -> Answer.calls(apply(tasks.get(1), List.of()));
      case 4 -> {
        requireLast(call, "a.txt was changed at the same places (near line 6)");
        yield Answer.calls(read());
      }
      case 5 -> {
        var other = call.last().text().contains("line 9 as one") ? "one" : "two";
        yield Answer.calls(edit("line 9 as " + other, "line 9 as one and two"));
      }
      case 6 -> Answer.calls(apply(tasks.get(1), List.of("a.txt")));
      default -> {
        requireLast(call, "Applied the changes of");
        yield Answer.says("Both changes are in.");
      }
    };
  }

  private static void requireLast(ModelCall call, String text) {
    assertThat(call.last().text()).contains(text);
  }

  private static Call delegation(String name) {
    return Answer.call(
        "task",
        Map.of(
            "description",
            name,
            "prompt",
            CHANGE + name,
            "background",
            true,
            "isolation",
            "worktree"));
  }

  private static Call apply(String task, List<String> skip) {
    return Answer.call("task_apply", Map.of("task_id", task, "mode", "apply", "skip", skip));
  }

  private static Call read() {
    return Answer.call("read", Map.of("file_path", "a.txt"));
  }

  private static Call edit(String old, String replacement) {
    return Answer.call(
        "edit", Map.of("file_path", "a.txt", "old_string", old, "new_string", replacement));
  }
}
