package dev.errand.tool.shell;

import dev.errand.tool.file.FileRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sandbox: separate namespaces of every kind and no capabilities. Commands can read the
 * programs of the system and write to the workspace, and see no other files of this machine.
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

  private static final List<String> LINKED_TO_USR =
      List.of("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");

  /** The files of /etc that programs need. No directory that contains keys or passwords. */
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
  private final HelperPrograms programs;
  private final FileRules rules;

  Bubblewrap(ShellConfig config, HelperPrograms programs, FileRules rules) {
    this.config = config;
    this.programs = programs;
    this.rules = rules;
  }

  /**
   * Returns the command line of the sandbox, to be followed by the command to run in it.
   *
   * @param workspace a path without links
   * @param readOnly whether commands can only read the workspace
   */
  List<String> commandLine(Path workspace, boolean readOnly) throws IOException {
    var root = RootPrecautions.areNeeded();
    var line = new ArrayList<String>();
    if (root) {
      line.addAll(RootPrecautions.commandLine(ShellLimits.KERNEL_PROCESSES, programs));
    }
    line.add(programs.find(config.bashBubblewrap()));
    line.addAll(FIXED);
    if (root) {
      // Root becomes nobody in the sandbox: programs that refuse to run as root work, exec does
      // not restore capabilities, and files still belong to the user of the service.
      line.addAll(List.of("--uid", NOBODY, "--gid", NOBODY));
    }
    system(line);
    mounts(line);
    var masks = Masks.of(workspace, rules);
    var same = SameMounts.commandLine(workspace, masks.pinned(), rules);
    workspace(workspace, masks, readOnly ? "--ro-bind" : "--bind", line);
    // Both are in memory without a size limit.
    line.addAll(List.of("--remount-ro", "/dev", "--remount-ro", "/"));
    line.addAll(List.of("--setenv", "HOME", "/tmp/home", "--setenv", "TMPDIR", "/tmp", "--"));
    line.addAll(same);
    return line;
  }

  private void system(List<String> line) throws IOException {
    for (var directory : LINKED_TO_USR) {
      var path = Path.of(directory);
      if (Files.isSymbolicLink(path)) {
        line.addAll(List.of("--symlink", Files.readSymbolicLink(path).toString(), directory));
      } else {
        bind("--ro-bind-try", path, line);
      }
    }
    ETC.forEach(path -> bind("--ro-bind-try", Path.of(path), line));
    Stream.concat(
            Stream.of(System.getProperty("java.home")),
            Stream.ofNullable(System.getenv("JAVA_HOME")))
        .map(Path::of)
        .filter(path -> path.isAbsolute() && !path.startsWith("/usr"))
        .forEach(path -> bind("--ro-bind-try", path, line));
    if (config.bashNetwork()) {
      line.add("--share-net");
      bind("--ro-bind-try", Path.of("/etc/resolv.conf"), line);
    }
  }

  private void mounts(List<String> line) throws IOException {
    // Read-only, because a service that runs as root could otherwise change kernel settings here.
    line.addAll(List.of("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"));
    line.addAll(List.of("--size", SHM_BYTES, "--tmpfs", "/dev/shm"));
    line.addAll(List.of("--size", TMP_BYTES, "--tmpfs", "/tmp", "--dir", "/tmp/home"));
    for (var path : config.bashReadOnlyPaths().orElse(List.of())) {
      bind("--ro-bind", path, line);
      hide(Masks.ofReadOnly(path.toRealPath(), rules), "--ro-bind", line);
    }
  }

  private static void workspace(Path workspace, Masks masks, String option, List<String> line) {
    var path = workspace.toString();
    line.addAll(List.of(option, path, path));
    hide(masks, option, line);
    line.addAll(List.of("--chdir", path));
  }

  /**
   * @param option how the directory is mounted that the masks belong to
   */
  private static void hide(Masks masks, String option, List<String> line) {
    masks.pinned().forEach(path -> bind(option, path, line));
    for (var path : masks.folders()) {
      line.addAll(List.of("--perms", "0000", "--size", "4096", "--tmpfs", path.toString()));
      line.addAll(List.of("--remount-ro", path.toString()));
    }
    // A device on a mount without devices cannot be opened at all.
    masks.files().forEach(file -> bind("--ro-bind", Path.of("/dev/null"), file, line));
  }

  private static void bind(String option, Path path, List<String> line) {
    bind(option, path, path, line);
  }

  private static void bind(String option, Path from, Path to, List<String> line) {
    line.addAll(List.of(option, from.toString(), to.toString()));
  }
}
