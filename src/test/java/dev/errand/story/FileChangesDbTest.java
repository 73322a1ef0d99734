package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Script.Call;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.permission.Permissions;
import dev.errand.session.LeaseLost;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.file.FileMemory;
import dev.errand.tool.file.FileMemory.FileChange;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file memory of a session exists as long as the session, independent of its workers. */
@QuarkusTest
class FileChangesDbTest implements Story {

  private static final Call READ = Call.of("read", Map.of("file_path", "a.txt"));
  private static final Call EDIT =
      Call.of("edit", Map.of("file_path", "a.txt", "old_string", "two", "new_string", "2"));

  @Inject TaskKit kit;
  @Inject ToolBox toolBox;
  @Inject FileMemory memory;
  @TempDir Path workspace;

  @BeforeEach
  void createFile() throws Exception {
    Files.writeString(workspace.resolve("a.txt"), "one two");
  }

  @Test
  void agentMustReadAFileBeforeItChangesIt() throws Exception {
    var session =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model -> model.calls(EDIT).calls(READ).calls(EDIT).thenSays("done"));

    kit.say(session, "Edit.");
    kit.awaitRest(session);

    var results = kit.toolResults(session);
    assertThat(results.getFirst().text()).contains("was not read in this session");
    assertThat(results.getLast().text()).isEqualTo("Edited a.txt.");
    assertThat(workspace.resolve("a.txt")).hasContent("one 2");
  }

  @Test
  void readOfOneSessionDoesNotCountForAnother() {
    kit.child("edit it", model -> model.calls(EDIT).thenSays("done"));
    var parent =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model -> model.calls(READ).callsTask("edit it").thenSays("over"));

    kit.say(parent, "Edit.");
    kit.awaitRest(parent);

    assertThat(kit.toolResults(kit.childOf(parent)).getFirst().isError()).isTrue();
    assertThat(workspace.resolve("a.txt")).hasContent("one two");
  }

  @Test
  void nextRunKnowsTheReadsOfThePreviousRun() {
    var session =
        kit.session(
            Map.of("workspace", workspace.toString()),
            model -> model.calls(READ).thenSays("read").calls(EDIT).thenSays("edited"));

    kit.say(session, "Read.");
    kit.awaitRest(session);
    kit.say(session, "Edit.");
    kit.awaitRest(session);

    assertThat(workspace.resolve("a.txt")).hasContent("one 2");
  }

  @Test
  void repeatedCallDetectsWhetherItsChangeWasMade() throws Exception {
    var gate = new Gate();
    var session = running(gate);
    var call = context(session, epoch(session), "77.0");
    run(READ, context(session, epoch(session), "76.0"));
    var before = memory.lastSeen(call, "a.txt");

    assertThat(run(EDIT, call).text()).isEqualTo("Edited a.txt.");
    var after = memory.lastSeen(call, "a.txt").orElseThrow();
    assertThat(memory.planned(call)).contains(new FileChange("a.txt", before, after));
    assertThat(run(EDIT, call).text()).startsWith("a.txt already has the new content");

    Files.writeString(workspace.resolve("a.txt"), "one two");
    assertThat(run(EDIT, call).text()).isEqualTo("Edited a.txt.");
    Files.writeString(workspace.resolve("a.txt"), "two from another process");
    assertThat(run(EDIT, call).text()).contains("was changed by another process");
    assertThat(workspace.resolve("a.txt")).hasContent("two from another process");
    gate.open();
    kit.awaitRest(session);
  }

  @Test
  void runThatHasLostItsSessionChangesNothing() throws Exception {
    var gate = new Gate();
    var session = running(gate);
    run(READ, context(session, epoch(session), "76.0"));
    var lost = context(session, epoch(session) - 1, "77.0");

    assertThat(run(EDIT, lost).isError()).isTrue();
    var hash = memory.lastSeen(lost, "a.txt").orElseThrow();
    assertThatThrownBy(() -> memory.saw(lost, "b.txt", hash)).isInstanceOf(LeaseLost.class);
    assertThatThrownBy(() -> memory.plan(lost, new FileChange("b", Optional.empty(), hash)))
        .isInstanceOf(LeaseLost.class);

    assertThat(workspace.resolve("a.txt")).hasContent("one two");
    assertThat(memory.planned(lost)).isEmpty();
    assertThat(memory.lastSeen(lost, "b.txt")).isEmpty();
    gate.open();
    kit.awaitRest(session);
  }

  /** A session whose run waits in a model call. */
  private SessionId running(Gate gate) {
    var session =
        kit.session(
            Map.of("workspace", workspace.toString()), model -> model.at(gate).says("done"));
    kit.say(session, "Work.");
    gate.awaitArrivals(1);
    return session;
  }

  private ToolOutcome.Done run(Call call, ToolContext context) {
    var arguments = new ObjectMapper().<ObjectNode>valueToTree(call.arguments());
    return (ToolOutcome.Done)
        toolBox.call(
            new Content.ToolCall("call", call.tool(), arguments), context, Permissions.ALL);
  }

  private ToolContext context(SessionId session, long epoch, String callId) {
    return new ToolContext(session, epoch, callId, workspace);
  }

  private long epoch(SessionId session) {
    return kit.row("select epoch from session where id = '" + session.value() + "'", Long.class);
  }
}
