package dev.errand.tool.file;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import dev.errand.tool.ToolOutcome;
import dev.errand.tool.search.GlobTool;
import dev.errand.tool.search.GrepTool;
import dev.errand.tool.search.ListTool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;

/** A workspace on disk, with the file tools called as a model calls them. */
public final class WorkspaceKit {

  /** The rules of a service whose files are outside the workspace. */
  public static final FileRules NO_RULES = rules(Path.of("/nowhere"), false);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path root;
  private final RememberedFiles memory = new RememberedFiles();
  private final ToolBox tools;
  private final SessionId session = SessionId.next();
  private int calls;

  /** The rules of a service that was started in this directory, with its data in {@code state}. */
  public static FileRules rules(Path start, boolean hardLinks) {
    var service =
        new ServiceFiles(
            start,
            Map.of(
                "home", Path.of("state"),
                "agents", Path.of("conf/agents"),
                "skills", Path.of("skills"),
                "templates", Path.of("templates")),
            List.of("prod"));
    return new FileRules(
        new WorkspaceRoots(service, List.of("/"), Path.of("/nowhere")), service, hardLinks);
  }

  public WorkspaceKit(Path root) {
    this(root, NO_RULES);
  }

  public WorkspaceKit(Path root, FileRules rules) {
    this.root = root;
    this.tools =
        new ToolBox(
            List.of(
                new ReadTool(rules, memory),
                new ListTool(rules),
                new GlobTool(rules),
                new GrepTool(rules),
                new WriteTool(rules, memory),
                new EditTool(rules, memory)));
  }

  public Path root() {
    return root;
  }

  /** What the session knows about files. */
  public RememberedFiles memory() {
    return memory;
  }

  /** The context of a new call. */
  public ToolContext context() {
    return context("1." + ++calls);
  }

  public ToolContext context(String callId) {
    return new ToolContext(session, 1, callId, root);
  }

  /**
   * Creates a file with its parent directories. All files have the same modification time, so that
   * searches return them sorted by path.
   */
  public Path file(String path, String content) {
    return file(path, content.getBytes(StandardCharsets.UTF_8));
  }

  public Path file(String path, byte[] content) {
    try {
      var file = root.resolve(path);
      Files.createDirectories(file.getParent());
      return Files.setLastModifiedTime(Files.write(file, content), FileTime.fromMillis(0));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public Path link(String path, String target) {
    try {
      return Files.createSymbolicLink(root.resolve(path), Path.of(target));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public String content(String path) {
    try {
      return Files.readString(root.resolve(path));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Calls a tool and returns the result for the model. */
  public ToolOutcome.Done call(String tool, Object... namesAndValues) {
    return call(Permissions.ALL, tool, namesAndValues);
  }

  public ToolOutcome.Done call(Permissions permissions, String tool, Object... namesAndValues) {
    var call = new Content.ToolCall("call_1", tool, arguments(namesAndValues));
    return (ToolOutcome.Done) tools.call(call, context(), permissions);
  }

  /** Makes the call with this id, or repeats it. */
  public ToolOutcome.Done callAs(String callId, String tool, Object... namesAndValues) {
    var call = new Content.ToolCall("call_1", tool, arguments(namesAndValues));
    return (ToolOutcome.Done) tools.call(call, context(callId), Permissions.ALL);
  }

  public static ObjectNode arguments(Object... namesAndValues) {
    var arguments = JSON.createObjectNode();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      arguments.set((String) namesAndValues[i], JSON.valueToTree(namesAndValues[i + 1]));
    }
    return arguments;
  }
}
