package dev.errand.kit;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The MCP reference server for files, from the npm registry. */
public final class FilesystemServer {

  private FilesystemServer() {}

  /** The command that starts a server for this folder. */
  public static List<String> command(Path folder) {
    var main = NpmPackage.FILESYSTEM_SERVER.file("dist/index.js");
    return List.of("node", main.toString(), folder.toString());
  }

  /** Kills the servers of this folder, as a crash would. */
  public static void kill(Path folder) {
    processes(folder).forEach(ProcessHandle::destroyForcibly);
  }

  /** The server processes of this folder. */
  public static Stream<ProcessHandle> processes(Path folder) {
    return ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().commandLine().orElse("").endsWith("index.js " + folder));
  }
}
