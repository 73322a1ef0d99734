package dev.errand.worktree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node records few copies at the same time. */
@QuarkusTest
class CopyTurnsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject CopyTurns turns;
  @TempDir Path temporary;

  @Test
  void requestIsRefusedWhileOthersCopyAndTheCallOfAModelWaits() throws Exception {
    CopyKit.git(temporary, "init", "-q");
    var workspace = Map.of("workspace", temporary.toRealPath().toString());
    var fields = Map.of("description", "a task", "prompt", "dig", "isolation", "worktree");
    kit.child("dig", model -> model.says("gold"));
    var parent =
        kit.session(workspace, model -> model.calls(new Call("task", fields)).thenSays("over"));
    var client = kit.externalSession(workspace);

    whileAllTurnsAreTaken(() -> {
      kit.say(parent, "Go.");
      kit.post(
              Map.of(
                  "parent_session_id", client.toString(),
                  "description", "a task",
                  "prompt", "never",
                  "isolation", "worktree"))
          .then()
          .statusCode(503)
          .header("Retry-After", is("5"))
          .body("detail", containsString("Nothing was accepted"));
      assertThat(kit.tasksOf(parent)).isEmpty();
    });

    kit.awaitRest(parent);
    assertThat(kit.tasksOf(parent))
        .singleElement()
        .satisfies(task -> assertThat(task.state()).isEqualTo(TaskState.COMPLETED));
    assertThat(kit.tasksOf(client)).isEmpty();
  }

  private void whileAllTurnsAreTaken(Runnable then) {
    var taken =
        turns.take(
            Duration.ZERO,
            () -> {
              whileAllTurnsAreTaken(then);
              return true;
            });
    if (taken.isEmpty()) {
      then.run();
    }
  }
}
