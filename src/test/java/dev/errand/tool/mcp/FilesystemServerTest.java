package dev.errand.tool.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.ToolEffect;
import dev.errand.kit.FilesystemServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests against the reference server from the npm registry. */
class FilesystemServerTest {

  @TempDir Path temporary;

  @Test
  void toolsOfTheReferenceServerCanBeCalled() throws IOException {
    var folder = temporary.toRealPath();
    Files.writeString(folder.resolve("a.txt"), "apple");
    try (var kit = new McpKit()) {
      kit.running(McpKit.process("files", FilesystemServer.command(folder)));

      assertThat(kit.call("files_read_text_file", Map.of("path", folder + "/a.txt")).text())
          .isEqualTo("apple");
      assertThat(
              kit.call("files_write_file", Map.of("path", folder + "/b.txt", "content", "banana")))
          .satisfies(done -> assertThat(done.isError()).isFalse());
      assertThat(folder.resolve("b.txt")).hasContent("banana");
      assertThat(kit.call("files_read_text_file", Map.of("path", "/etc/passwd")))
          .satisfies(done -> assertThat(done.isError()).isTrue())
          .satisfies(done -> assertThat(done.text()).contains("outside allowed directories"));
      assertThat(kit.call("files_read_text_file", Map.of()).text())
          .isEqualTo("Invalid arguments for files_read_text_file: path: is required");
      assertThat(kit.toolBox().find("files_read_text_file").orElseThrow().effect())
          .isEqualTo(ToolEffect.PURE);
      assertThat(kit.toolBox().find("files_write_file").orElseThrow().effect())
          .isEqualTo(ToolEffect.SIDE_EFFECT);
    }
  }
}
