package dev.errand.tool;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.SessionId;
import dev.errand.permission.Permissions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A workspace on disk and the file tools, called as a model calls them. */
final class WorkspaceKit {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final ToolBox TOOLS =
      new ToolBox(
          List.of(
              new ReadTool(),
              new ListTool(),
              new GlobTool(),
              new GrepTool(),
              new WriteTool(),
              new EditTool()));

  private final Path root;

  WorkspaceKit(Path root) {
    this.root = root;
  }

  Path root() {
    return root;
  }

  ToolContext context() {
    return new ToolContext(SessionId.next(), 1, "call_1", root);
  }

  /** Puts a file into the workspace, with the folders that it needs. */
  Path file(String path, String content) {
    return file(path, content.getBytes(StandardCharsets.UTF_8));
  }

  Path file(String path, byte[] content) {
    try {
      var file = root.resolve(path);
      Files.createDirectories(file.getParent());
      return Files.write(file, content);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  Path link(String path, String target) {
    try {
      return Files.createSymbolicLink(root.resolve(path), Path.of(target));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  String content(String path) {
    try {
      return Files.readString(root.resolve(path));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Calls a tool; what a model may see of the failure or of the success. */
  ToolOutcome.Done call(String tool, Object... namesAndValues) {
    return call(Permissions.ALL, tool, namesAndValues);
  }

  ToolOutcome.Done call(Permissions permissions, String tool, Object... namesAndValues) {
    var call = new Content.ToolCall("call_1", tool, arguments(namesAndValues));
    return (ToolOutcome.Done) TOOLS.call(call, context(), permissions);
  }

  static ObjectNode arguments(Object... namesAndValues) {
    var arguments = JSON.createObjectNode();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      arguments.set((String) namesAndValues[i], JSON.valueToTree(namesAndValues[i + 1]));
    }
    return arguments;
  }
}
