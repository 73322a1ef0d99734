package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Rare;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.postgres.Failpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The process dies in the phases of a task in a copy of its parent's workspace that {@link
 * WorktreeIT} does not cover. When it is started again, the change is not lost, and no folder is
 * left. The process that recovers from one crash is the one that dies in the next case.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorktreeCrashIT {

  /** Those between the first and the last one are rare: {@link FailpointsIT} covers them, too. */
  private static final List<Failpoint> PHASES =
      Rare.ALSO
          ? List.of(
              Failpoint.WORKTREE_RECORDED,
              Failpoint.SUBMITTED,
              Failpoint.TOOL_CALLED,
              Failpoint.RUN_ENDED,
              Failpoint.WORKTREE_DELETED)
          : List.of(Failpoint.WORKTREE_RECORDED, Failpoint.WORKTREE_DELETED);

  private final Path home;
  private final StubEndpoint endpoint;
  private final Service service;
  private final Map<String, String> environment = new HashMap<>();

  WorktreeCrashIT(@TempDir Path home) throws IOException {
    this.home = home;
    endpoint =
        StubEndpoint.start(
            new OpenAiStub(),
            call ->
                call.isFirst()
                    ? Answer.calls(
                        Answer.call("write", Map.of("file_path", "b.txt", "content", "changed\n")))
                    : Answer.says("Done."));
    environment.putAll(endpoint.environment());
    environment.put("ERRAND_WORKTREES_DIR", worktrees().toString());
    environment.put("ERRAND_WORKTREES_STRAY_AFTER", "10s");
    dieAt(PHASES.getFirst());
    service = Service.start(home.resolve("service"), environment);
  }

  static List<Failpoint> phases() {
    return PHASES;
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  private Path worktrees() {
    return home.resolve("worktrees");
  }

  private Path armed() {
    return home.resolve("armed");
  }

  private void dieAt(Failpoint phase) {
    environment.put(
        "JAVA_TOOL_OPTIONS",
        "-Derrand.failpoint=%s -Derrand.failpoint.armed-by=%s".formatted(phase, armed()));
  }

  @ParameterizedTest
  @MethodSource("phases")
  void changeIsKeptAndNoFolderIsLeftAfterACrash(Failpoint phase) throws Exception {
    var parent =
        service
            .post("/v1/sessions", Map.of("kind", "external", "workspace", repository()), 201)
            .get("id")
            .asText();
    Files.createFile(armed());
    Service.mayEndDuring(() -> {
      submit(parent);
      if (phase == Failpoint.WORKTREE_DELETED) {
        acknowledge(parent);
      }
    });
    service.awaitDeath();

    Files.delete(armed());
    dieAt(PHASES.get((PHASES.indexOf(phase) + 1) % PHASES.size()));
    service.startAgain();
    submit(parent);
    acknowledge(parent);

    var tasks = SessionProbe.tasks(service, parent);
    assertThat(tasks).hasSize(1);
    var task = tasks.getFirst();
    assertThat(task.get("state").asText()).isEqualTo("completed");
    assertThat(task.at("/changes/files/0/path").asText()).isEqualTo("b.txt");
    assertThat(service.text("/v1/tasks/" + task.get("id").asText() + "/diff"))
        .contains("+++ b/b.txt", "+changed");
    assertThat(Path.of(repository()).resolve("b.txt")).doesNotExist();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(worktrees().toFile().list()).isEmpty());
  }

  private String repository() throws Exception {
    var folder = Files.createDirectories(home.resolve("repository"));
    if (Files.notExists(folder.resolve(".git"))) {
      Files.writeString(folder.resolve("a.txt"), "a\n");
      assertThat(new ProcessBuilder("git", "init", "-q", folder.toString()).start().waitFor())
          .isZero();
    }
    return folder.toString();
  }

  private void submit(String parent) {
    service.post(
        "/v1/tasks",
        Map.of(
            "parent_session_id", parent,
            "description", "one task",
            "prompt", "Change it.",
            "background", true,
            "cleanup", "delete",
            "isolation", "worktree"),
        202,
        "Idempotency-Key",
        "for " + parent);
  }

  private void acknowledge(String parent) {
    SessionProbe.awaitRest(service, parent);
    var task = SessionProbe.tasks(service, parent).getFirst().get("id").asText();
    service.post("/v1/tasks/" + task + "/ack", Map.of(), 200);
  }
}
