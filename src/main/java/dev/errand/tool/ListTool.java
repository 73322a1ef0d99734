package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Shows what is in a folder. */
@Singleton
final class ListTool extends FileTool {

  private static final int MAX_SHOWN = 1_000;
  private static final int MAX_COUNTED = 100_000;

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "list",
        """
        Shows what is directly in one folder, sorted by name: folders with a slash at the end, \
        files with their size in bytes, symbolic links marked as such. It shows the first 1000 \
        entries and says how many more there are. To find files further down use glob.\
        """,
        ParameterSchema.object()
            .text("path", "The folder, relative to the workspace; the workspace itself if absent.")
            .build());
  }

  @Override
  public ToolEffect effect() {
    return ToolEffect.PURE;
  }

  @Override
  String path(ObjectNode arguments) {
    return arguments.path("path").asText();
  }

  @Override
  String result(ObjectNode arguments, Workspace workspace) throws IOException {
    var place = workspace.findFolder(path(arguments));
    var shown = new OutputCap(MAX_SHOWN);
    try (var folder = workspace.openFolder(place.path())) {
      var names = folder.names(MAX_COUNTED);
      if (names.isEmpty()) {
        return "(%s is an empty folder)".formatted(place.shown());
      }
      for (var name : names) {
        shown.add(shown.isFull() ? "" : entry(folder, name));
      }
    }
    return shown.isFull()
        ? shown.text() + "\n(and %d more entries; use glob to narrow)".formatted(shown.omitted())
        : shown.text();
  }

  private static String entry(OpenFolder folder, Path name) throws IOException {
    try {
      return ShownPath.of(name) + kind(folder.attributes(name));
    } catch (NoSuchFileException gone) {
      return ShownPath.of(name) + " (just removed)";
    }
  }

  private static String kind(BasicFileAttributes attributes) {
    if (attributes.isDirectory()) {
      return "/";
    }
    if (attributes.isSymbolicLink()) {
      return " (symbolic link)";
    }
    return attributes.isRegularFile() ? " (%d bytes)".formatted(attributes.size()) : " (special)";
  }
}
