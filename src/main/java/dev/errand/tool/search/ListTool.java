package dev.errand.tool.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.tool.OutputCap;
import dev.errand.tool.ParameterSchema;
import dev.errand.tool.ToolContext;
import dev.errand.tool.file.FileRules;
import dev.errand.tool.file.FileTool;
import dev.errand.tool.file.OpenFolder;
import dev.errand.tool.file.ShownPath;
import dev.errand.tool.file.Workspace;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/** Lists the entries of a directory. */
@Singleton
public final class ListTool extends FileTool {

  private static final int MAX_SHOWN = 1_000;
  private static final int MAX_COUNTED = 100_000;

  public ListTool(FileRules rules) {
    super(rules, "path", ToolEffect.PURE);
  }

  @Override
  public ToolDefinition definition() {
    return new ToolDefinition(
        "list",
        "List directory",
        """
        Lists the entries of one directory, sorted by name: directories with a slash at the end, \
        files with their size in bytes. Symbolic links are marked, and so are files that .gitignore \
        excludes, which grep and glob skip. Returns the first 1000 entries and the number of \
        omitted ones. To find files in subdirectories, use glob.\
        """,
        ParameterSchema.object()
            .text(
                "path", "The directory, relative to the workspace. Default: the workspace itself.")
            .maxLength(ParameterSchema.MAX_CHARS)
            .build());
  }

  @Override
  protected String result(ObjectNode arguments, Workspace workspace, ToolContext context)
      throws IOException {
    var path = workspace.findFolder(path(arguments));
    var shown = new OutputCap(MAX_SHOWN);
    var above = IgnoreRules.above(workspace, path.path());
    try (var folder = workspace.openFolder(path.path())) {
      var names = folder.names(MAX_COUNTED);
      var prefix = IgnoreRules.folderPrefix(path.path());
      var listed = new Listed(workspace, folder, prefix, above.in(folder, names, prefix));
      for (var name : names) {
        (shown.isFull() ? Optional.of("") : listed.entry(name)).ifPresent(shown::add);
      }
    }
    if (shown.lines() == 0) {
      return "(%s is an empty directory)".formatted(path.shown());
    }
    return shown.isFull()
        ? shown.text() + "\n(and %d more entries; use glob to narrow)".formatted(shown.omitted())
        : shown.text();
  }

  private record Listed(Workspace workspace, OpenFolder folder, String prefix, IgnoreRules rules) {

    Optional<String> entry(Path name) throws IOException {
      try {
        var attributes = folder.attributes(name);
        var path = prefix + name;
        return workspace.hides(path, attributes)
            ? Optional.empty()
            : Optional.of(ShownPath.of(name) + kind(attributes) + remark(path, attributes));
      } catch (NoSuchFileException gone) {
        return Optional.empty();
      }
    }

    private String remark(String path, BasicFileAttributes attributes) {
      if (!attributes.isDirectory() && workspace.deniesReading(path)) {
        return " (cannot be read)";
      }
      return rules.ignores(path, attributes.isDirectory()) ? " (ignored by git)" : "";
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
}
