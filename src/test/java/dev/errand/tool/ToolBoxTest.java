package dev.errand.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.ToolDefinition;
import dev.errand.permission.Permissions;
import dev.errand.permission.Rule;
import dev.errand.tool.file.EditTool;
import dev.errand.tool.file.ReadTool;
import dev.errand.tool.file.RememberedFiles;
import dev.errand.tool.file.WorkspaceKit;
import dev.errand.tool.file.WriteTool;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ToolBoxTest {

  private static final Tool READ = new ReadTool(WorkspaceKit.NO_RULES, new RememberedFiles());
  private static final Tool WRITE = new WriteTool(WorkspaceKit.NO_RULES, new RememberedFiles());
  private static final Tool EDIT = new EditTool(WorkspaceKit.NO_RULES, new RememberedFiles());

  @TempDir Path folder;

  @Test
  void toolReceivesItsArguments() {
    var box = box(arguments -> ToolOutcome.ok(arguments.path("text").asText()));

    assertThat(box.call(call("text", "hello"), context(), Permissions.ALL))
        .isEqualTo(ToolOutcome.ok("hello"));
  }

  @Test
  void toolNamesIgnoreCase() {
    var box = box(_ -> ToolOutcome.ok("done"));
    var call = new Content.ToolCall("1", "ECHO", WorkspaceKit.arguments("text", "x"));

    assertThat(box.find("Echo")).isPresent();
    assertThat(box.find("other")).isEmpty();
    assertThat(box.call(call, context(), Permissions.ALL)).isEqualTo(ToolOutcome.ok("done"));
  }

  @Test
  void generalDescriptionIsReadOnce() {
    var box = new ToolBox(List.of(READ));

    assertThat(box.offered(Permissions.ALL).getFirst())
        .isSameAs(box.offered(without("write")).getFirst());
  }

  @Test
  void deferredOutcomeIsReturned() {
    var box = box(_ -> new ToolOutcome.Deferred());

    assertThat(box.call(call("text", "x"), context(), Permissions.ALL))
        .isEqualTo(new ToolOutcome.Deferred());
  }

  @Test
  void aliasesOfFieldsAreRenamedInACopy() {
    var box = box(arguments -> ToolOutcome.ok(arguments.path("text").asText()));
    var call = call("content", "hello");

    assertThat(box.call(call, context(), Permissions.ALL)).isEqualTo(ToolOutcome.ok("hello"));
    assertThat(call).isEqualTo(call("content", "hello"));
  }

  @Test
  void unknownToolIsAnErrorThatNamesTheAllowedTools() {
    var box = new ToolBox(List.of(READ, WRITE, EDIT));
    var call = new Content.ToolCall("1", "cat", WorkspaceKit.arguments());

    assertThat(box.call(call, context(), without("write")))
        .isEqualTo(ToolOutcome.error("There is no tool named 'cat'. Known tools: edit, read."));
  }

  @Test
  void invalidArgumentsAreAnErrorThatNamesEveryField() {
    var box = new ToolBox(List.of(READ));
    var call = new Content.ToolCall("1", "read", WorkspaceKit.arguments("limit", 0, "foo", 1));

    assertThat(box.call(call, context(), Permissions.ALL))
        .isEqualTo(
            ToolOutcome.error(
                "Invalid arguments for read: file_path: is required;"
                    + " foo: unknown field (known: file_path, offset, limit);"
                    + " limit: must be at least 1"));
  }

  @Test
  void nullIsTreatedAsAbsent() {
    var box = box(arguments -> ToolOutcome.ok(arguments.toString()));

    assertThat(box.call(call("text", "x", "count", NullNode.instance), context(), Permissions.ALL))
        .isEqualTo(ToolOutcome.ok("{\"text\":\"x\"}"));
    assertThat(box.call(call("text", NullNode.instance), context(), Permissions.ALL))
        .isEqualTo(ToolOutcome.error("Invalid arguments for echo: text: is required"));
  }

  @Test
  void argumentsThatAreNotAnObjectAreAnError() {
    var box = box(_ -> ToolOutcome.ok("done"));

    assertThat(box.call(call(TextNode.valueOf("{\"text\": ")), context(), Permissions.ALL))
        .isEqualTo(
            ToolOutcome.error(
                "Invalid arguments for echo: must be a JSON object that matches the tool's"
                    + " schema, nested at most 50 levels deep."));
    assertThat(box.call(call(TextNode.valueOf("")), context(), Permissions.ALL))
        .isEqualTo(ToolOutcome.error("Invalid arguments for echo: text: is required"));
  }

  @Test
  void forbiddenToolIsNeitherOfferedNorCalled() {
    var box = new ToolBox(List.of(WRITE, READ));
    var call = new Content.ToolCall("1", "write", WorkspaceKit.arguments());

    assertThat(box.offered(Permissions.ALL))
        .extracting(ToolDefinition::name)
        .containsExactly("read", "write");
    assertThat(box.offered(without("write")))
        .extracting(ToolDefinition::name)
        .containsExactly("read");
    assertThat(box.call(call, context(), without("write")))
        .isEqualTo(
            ToolOutcome.error(
                "Permission denied: this session may not use write: denied by the permissions that"
                    + " it was created with (rule: deny write on *)."));
  }

  @Test
  void ruleOnAPathAppliesToEverySpellingOfThePath() {
    var kit = new WorkspaceKit(folder);
    var file = kit.file("secret/key.txt", "key");
    kit.file("public/a.txt", "a");
    kit.link("link", "secret");
    var rules = List.of(new Rule("read", "secret/*", Rule.Action.DENY));
    var permissions = Permissions.ALL.narrowedBy(rules);

    assertThat(
            List.of(
                "secret/key.txt",
                "./secret//key.txt",
                "public/../secret/key.txt",
                "link/key.txt",
                file.toString()))
        .allSatisfy(path ->
            assertThat(kit.call(permissions, "read", "file_path", path))
                .isEqualTo(
                    ToolOutcome.error(
                        "Permission denied: this session may not use read on secret/key.txt: denied"
                            + " by the permissions that it was created with (rule: deny read on"
                            + " secret/*).")));
    assertThat(kit.call(permissions, "read", "file_path", "public/a.txt").isError()).isFalse();
  }

  @Test
  void exceptionOfAToolIsAnErrorWithoutInternalDetails() {
    var failing =
        box(_ -> {
          throw new IllegalStateException("java.lang.Secret at /home/user");
        });
    var overflowing =
        box(_ -> {
          throw new StackOverflowError();
        });

    assertThat(failing.call(call("text", "x"), context(), Permissions.ALL))
        .isEqualTo(overflowing.call(call("text", "x"), context(), Permissions.ALL))
        .isEqualTo(
            ToolOutcome.error(
                "echo failed because of an internal error. Other arguments or another tool may"
                    + " work."));
  }

  /** The call may have been committed; the run ends, and the next run finds out. */
  @Test
  void lostDatabaseConnectionIsThrown() {
    var box =
        box(_ -> {
          throw new IllegalStateException(new SQLException("cut", "08006"));
        });

    assertThatThrownBy(() -> box.call(call("text", "x"), context(), Permissions.ALL))
        .hasRootCauseInstanceOf(SQLException.class);
  }

  @Test
  void messageOfAToolFailureReachesTheModel() {
    var box =
        box(_ -> {
          throw new ToolFailure("text: is too short");
        });

    assertThat(box.call(call("text", "x"), context(), Permissions.ALL))
        .isEqualTo(ToolOutcome.error("text: is too short"));
  }

  @Test
  void longResultIsCut() {
    var box = box(_ -> ToolOutcome.error("x".repeat(300_000)));

    var done = (ToolOutcome.Done) box.call(call("text", "x"), context(), Permissions.ALL);

    assertThat(done.isError()).isTrue();
    assertThat(done.text())
        .hasSizeLessThan(100_200)
        .endsWith("(The result was cut: it has 300000 characters, of which 100000 are shown.)");
  }

  @Test
  void duplicateToolNameIsRefusedAtStart() {
    assertThatThrownBy(() -> new ToolBox(List.of(READ, READ)))
        .hasMessage("Two tools are named read");
  }

  private static Content.ToolCall call(Object... namesAndValues) {
    return call(WorkspaceKit.arguments(namesAndValues));
  }

  private static Content.ToolCall call(JsonNode arguments) {
    return new Content.ToolCall("call_1", "echo", arguments);
  }

  private ToolContext context() {
    return new WorkspaceKit(folder).context();
  }

  private static Permissions without(String tool) {
    return Permissions.ALL.narrowedBy(List.of(Rule.deny(tool)));
  }

  private static ToolBox box(Function<ObjectNode, ToolOutcome> behaviour) {
    return new ToolBox(List.of(new EchoTool(behaviour)));
  }
}
