package dev.errand.tool.shell;

import dev.errand.tool.file.FileRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sandbox: namespaces of its own for everything, no capabilities, no way to more of them; the
 * system's programs to read, the workspace to write, and nothing else of this machine's files.
 */
final class Bubblewrap {

  private static final String NOBODY = "65534";
  private static final String SHM_BYTES = Long.toString(64L << 20);
  private static final String TMP_BYTES = Long.toString(512L << 20);

  private static final List<String> FIXED =
      List.of(
          "--unshare-all",
          "--unshare-user",
          "--disable-userns",
          "--die-with-parent",
          "--new-session",
          "--cap-drop",
          "ALL",
          "--hostname",
          "errand",
          "--ro-bind",
          "/usr",
          "/usr");

  private static final List<String> BESIDE_USR =
      List.of("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");

  /** What programs need of /etc. No folder that keeps keys or passwords in it. */
  private static final List<String> ETC =
      Stream.of(
              "alternatives",
              "bash.bashrc",
              "ca-certificates",
              "ca-certificates.conf",
              "crypto-policies",
              "debian_version",
              "fonts",
              "group",
              "hosts",
              "inputrc",
              "ld.so.cache",
              "ld.so.conf",
              "ld.so.conf.d",
              "locale.alias",
              "localtime",
              "magic",
              "mime.types",
              "nsswitch.conf",
              "os-release",
              "passwd",
              "pki/ca-trust",
              "pki/java",
              "pki/tls/certs",
              "pki/tls/cert.pem",
              "protocols",
              "services",
              "ssl/cert.pem",
              "ssl/certs",
              "ssl/openssl.cnf",
              "terminfo",
              "timezone")
          .map("/etc/"::concat)
          .toList();

  private final ShellConfig config;
  private final HiddenPaths hidden;
  private final FileRules rules;

  Bubblewrap(ShellConfig config, HiddenPaths hidden, FileRules rules) {
    this.config = config;
    this.hidden = hidden;
    this.rules = rules;
  }

  /**
   * The command line, to be followed by what shall run inside.
   *
   * @param workspace without links
   */
  List<String> around(Path workspace) throws IOException {
    var root = RootPrecautions.areNeeded();
    var line = new ArrayList<String>();
    if (root) {
      line.addAll(RootPrecautions.commandLine(ShellLimits.MOST_PROCESSES));
    }
    line.add(config.bashBubblewrap());
    line.addAll(FIXED);
    if (root) {
      // Root outside is nobody inside: programs that refuse to run as root work, exec gives no
      // capabilities back, and files still belong to the service's user.
      line.addAll(List.of("--uid", NOBODY, "--gid", NOBODY));
    }
    system(line);
    mounts(line);
    workspace(workspace, line);
    // Both are memory, which would have no bound.
    line.addAll(List.of("--remount-ro", "/dev", "--remount-ro", "/"));
    line.addAll(List.of("--setenv", "HOME", "/tmp/home", "--setenv", "TMPDIR", "/tmp", "--"));
    return line;
  }

  private void system(List<String> line) throws IOException {
    for (var folder : BESIDE_USR) {
      var path = Path.of(folder);
      if (Files.isSymbolicLink(path)) {
        line.addAll(List.of("--symlink", Files.readSymbolicLink(path).toString(), folder));
      } else {
        readOnly("--ro-bind-try", path, line);
      }
    }
    ETC.forEach(path -> readOnly("--ro-bind-try", Path.of(path), line));
    Stream.concat(
            Stream.of(System.getProperty("java.home")),
            Stream.ofNullable(System.getenv("JAVA_HOME")))
        .map(Path::of)
        .filter(path -> path.isAbsolute() && !path.startsWith("/usr"))
        .forEach(path -> readOnly("--ro-bind-try", path, line));
    if (config.bashNetwork()) {
      line.add("--share-net");
      readOnly("--ro-bind-try", Path.of("/etc/resolv.conf"), line);
    }
  }

  private void mounts(List<String> line) throws IOException {
    // Read-only, or a service that runs as root gives its sandbox the kernel's settings to write.
    line.addAll(List.of("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"));
    line.addAll(List.of("--size", SHM_BYTES, "--tmpfs", "/dev/shm"));
    line.addAll(List.of("--size", TMP_BYTES, "--tmpfs", "/tmp", "--dir", "/tmp/home"));
    for (var path : config.bashReadOnlyPaths().orElse(List.of())) {
      readOnly("--ro-bind", path, line);
      hide(path, line);
    }
  }

  private void workspace(Path workspace, List<String> line) throws IOException {
    var path = workspace.toString();
    line.addAll(List.of("--bind", path, path));
    rules
        .definitionsBelow(workspace)
        .forEach(definitions -> readOnly("--ro-bind", definitions, line));
    hide(workspace, line);
    line.addAll(List.of("--chdir", path));
  }

  private void hide(Path folder, List<String> line) throws IOException {
    var here = hidden.below(folder);
    for (var path : here.folders()) {
      line.addAll(List.of("--perms", "0000", "--size", "4096", "--tmpfs", path.toString()));
      line.addAll(List.of("--remount-ro", path.toString()));
    }
    // A device on a mount without devices: cannot be opened, not even to read nothing.
    here.files().forEach(file -> readOnly("--ro-bind", Path.of("/dev/null"), file, line));
  }

  private static void readOnly(String option, Path path, List<String> line) {
    readOnly(option, path, path, line);
  }

  private static void readOnly(String option, Path from, Path to, List<String> line) {
    line.addAll(List.of(option, from.toString(), to.toString()));
  }
}
