package dev.errand.tool.patch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.permission.Permissions;
import dev.errand.tool.file.FileSet;
import dev.errand.tool.file.WorkspaceKit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A workspace, a copy of it in which a child works, and patches that the real git makes. */
final class PatchKit implements PatchMemory {

  final Path workspace;
  private final Path copy;
  private @Nullable PatchPlan plan;
  private @Nullable Patch earlier;
  private Runnable afterPlan = () -> {};

  PatchKit(Path folder) throws IOException {
    workspace = Files.createDirectories(folder.resolve("workspace"));
    copy = Files.createDirectories(folder.resolve("copy"));
  }

  /** Ends a call like a crash of the worker. */
  static final class Crash extends Error {

    private static final long serialVersionUID = 1;
  }

  /** Writes a file of the workspace. */
  void file(String path, String content) throws IOException {
    write(workspace, path, content.getBytes(StandardCharsets.UTF_8));
  }

  void file(String path, byte[] content) throws IOException {
    write(workspace, path, content);
  }

  /** Copies the workspace for a child. */
  void copy() throws Exception {
    run(copy, "sh", "-c", "rm -rf .git ./* && cp -a \"$0\"/. .", workspace.toString());
    git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "--allow-empty", "-m", "base");
  }

  /** Writes a file of the copy. */
  void child(String path, String content) throws IOException {
    write(copy, path, content.getBytes(StandardCharsets.UTF_8));
  }

  void child(String path, byte[] content) throws IOException {
    write(copy, path, content);
  }

  Path inCopy(String path) {
    return copy.resolve(path);
  }

  /** Returns what the child changed. */
  byte[] patch(String... options) throws Exception {
    git("add", "-A");
    var command = new ArrayList<>(List.of("diff", "--cached", "--binary", "--full-index"));
    command.addAll(List.of(options));
    return git(command.toArray(String[]::new));
  }

  PatchOutcome apply(byte[] patch) throws IOException {
    return application(patch, Permissions.ALL).run(false);
  }

  PatchOutcome check(byte[] patch) throws IOException {
    return application(patch, Permissions.ALL).run(true);
  }

  PatchApplication application(byte[] patch, Permissions permissions) throws IOException {
    return application(Patch.read(patch), permissions);
  }

  PatchApplication application(Patch patch, Permissions permissions) throws IOException {
    var files = new FileSet(workspace, WorkspaceKit.NO_RULES, permissions);
    return new PatchApplication(patch, Optional.ofNullable(earlier), files, this);
  }

  String content(String path) throws IOException {
    return Files.readString(workspace.resolve(path));
  }

  /** Returns the paths, contents and modes of all files of the workspace. */
  TreeMap<String, String> tree() throws IOException {
    return tree(workspace);
  }

  TreeMap<String, String> childTree() throws IOException {
    return tree(copy);
  }

  private static TreeMap<String, String> tree(Path root) throws IOException {
    var tree = new TreeMap<String, String>();
    try (var paths = Files.walk(root)) {
      for (var path : paths.filter(Files::isRegularFile).toList()) {
        var name = root.relativize(path).toString();
        if (!name.startsWith(".git/")) {
          var bytes = Files.readAllBytes(path);
          tree.put(name, Files.isExecutable(path) + new String(bytes, StandardCharsets.ISO_8859_1));
        }
      }
    }
    return tree;
  }

  /** Called after the next plan is stored. */
  void afterNextPlan(Runnable action) {
    afterPlan = action;
  }

  /** The child is continued; this patch of it was applied. */
  void continued(byte[] patch) {
    earlier = Patch.read(patch);
    plan = null;
  }

  /** Forgets what was applied. */
  void forget() {
    plan = null;
  }

  @Override
  public Optional<PatchPlan> latest() {
    return Optional.ofNullable(plan);
  }

  @Override
  public void plan(List<PlannedFile> files) {
    plan = new PatchPlan(files, false);
    var action = afterPlan;
    afterPlan = () -> {};
    action.run();
  }

  @Override
  public void applied() {
    plan = new PatchPlan(latest().orElseThrow().files(), true);
  }

  private static void write(Path root, String path, byte[] content) throws IOException {
    var file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.write(file, content);
  }

  private byte[] git(String... arguments) throws Exception {
    var command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    return run(copy, command.toArray(String[]::new));
  }

  private static byte[] run(Path folder, String... command) throws Exception {
    var process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    var output = process.getInputStream().readAllBytes();
    assertThat(process.waitFor()).as(new String(output, StandardCharsets.UTF_8)).isZero();
    return output;
  }
}
