package dev.errand.worktree;

import dev.errand.tool.file.FileRules;
import dev.errand.tool.shell.HelperPrograms;
import jakarta.inject.Singleton;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs git on git directories of the service. The environment and the options leave nothing that
 * git could start: no hooks, no file system monitor, no remote helpers, no pager, no configuration
 * but that of the git directory.
 */
@Singleton
public class Git {

  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int MAX_ERROR_BYTES = 8_000;

  private static final Map<String, String> ENVIRONMENT =
      Map.ofEntries(
          Map.entry("PATH", HelperPrograms.SYSTEM),
          Map.entry("LC_ALL", "C"),
          Map.entry("HOME", "/nonexistent"),
          Map.entry("GIT_CONFIG_NOSYSTEM", "1"),
          Map.entry("GIT_CONFIG_GLOBAL", "/dev/null"),
          Map.entry("GIT_ATTR_NOSYSTEM", "1"),
          Map.entry("GIT_CEILING_DIRECTORIES", "/"),
          Map.entry("GIT_TERMINAL_PROMPT", "0"),
          Map.entry("GIT_OPTIONAL_LOCKS", "0"),
          Map.entry("GIT_NO_REPLACE_OBJECTS", "1"),
          Map.entry("GIT_NO_LAZY_FETCH", "1"),
          // git copies between two directories of the service with this one
          Map.entry("GIT_ALLOW_PROTOCOL", "file"),
          Map.entry("GIT_AUTHOR_NAME", "errand"),
          Map.entry("GIT_AUTHOR_EMAIL", "errand@localhost"),
          Map.entry("GIT_COMMITTER_NAME", "errand"),
          Map.entry("GIT_COMMITTER_EMAIL", "errand@localhost"));

  private static final List<String> OPTIONS =
      List.of(
          "--no-pager",
          "--no-replace-objects",
          "-c",
          "core.hooksPath=/dev/null",
          "-c",
          "core.fsmonitor=false",
          "-c",
          "core.untrackedCache=false",
          "-c",
          "core.attributesFile=/dev/null",
          "-c",
          "core.excludesFile=/dev/null",
          "-c",
          "core.quotePath=false",
          "-c",
          "gc.auto=0",
          "-c",
          "maintenance.auto=false");

  private final HelperPrograms programs;

  Git(FileRules rules) {
    programs = new HelperPrograms(rules::mayBeWorkspace, System.getenv().getOrDefault("PATH", ""));
  }

  /** Writes the standard input of git. */
  public interface GitInput {

    /**
     * @throws IOException git does not read any more
     * @throws UncheckedIOException the input cannot be made
     */
    void write(OutputStream out) throws IOException;

    GitInput NONE = _ -> {};
  }

  /**
   * A call of git.
   *
   * @param gitDir a git directory of the service; null for a call that makes one
   * @param folder the working directory
   * @param maxOutput bytes of the standard output; git is ended when it writes more
   */
  public record GitCall(
      @Nullable Path gitDir, Path folder, List<String> arguments, GitInput input, int maxOutput) {

    public GitCall {
      arguments = List.copyOf(arguments);
    }

    /** Returns a call without input. */
    public static GitCall of(Path gitDir, Path folder, int maxOutput, String... arguments) {
      return new GitCall(gitDir, folder, List.of(arguments), GitInput.NONE, maxOutput);
    }
  }

  /**
   * The result of a call.
   *
   * @param output at most as many bytes as were asked for
   * @param cut whether git would have written more
   * @param error what git wrote to its standard error
   */
  public record GitResult(int exit, byte[] output, boolean cut, String error) {

    public String text() {
      return new String(output, StandardCharsets.UTF_8);
    }
  }

  /** Returns why git cannot be used here; empty if it can. */
  public Optional<String> problem() {
    try {
      programs.find("git");
      return Optional.empty();
    } catch (IOException missing) {
      return Optional.of("git is not installed where this service runs");
    }
  }

  /**
   * Runs git and expects success.
   *
   * @throws IOException git failed, or did not end in time
   */
  public GitResult expect(GitCall call) throws IOException {
    var result = run(call);
    if (result.exit() != 0 && !result.cut()) {
      throw new IOException(
          "git " + call.arguments().getFirst() + " failed: " + result.error().strip());
    }
    return result;
  }

  /**
   * Runs git.
   *
   * @throws IOException git is not installed or did not end in time, or the input failed
   */
  public GitResult run(GitCall call) throws IOException {
    var process = start(call);
    try {
      var output = inBackground(() -> read(process.getInputStream(), call.maxOutput(), process));
      var error = inBackground(() -> read(process.getErrorStream(), MAX_ERROR_BYTES, null));
      var input = inBackground(() -> write(call.input(), process.getOutputStream()));
      if (!process.waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("git did not end within " + TIMEOUT.toMinutes() + " min");
      }
      get(input);
      var text = get(output);
      return new GitResult(
          process.exitValue(),
          text.bytes(),
          text.cut(),
          new String(get(error).bytes(), StandardCharsets.UTF_8));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IOException("git was interrupted", stopped);
    } finally {
      process.destroyForcibly();
    }
  }

  private Process start(GitCall call) throws IOException {
    var line = new ArrayList<String>();
    line.add(programs.find("git"));
    line.addAll(OPTIONS);
    if (call.gitDir() != null) {
      line.add("--git-dir=" + call.gitDir());
    }
    line.addAll(call.arguments());
    var builder = new ProcessBuilder(line).directory(call.folder().toFile());
    builder.environment().clear();
    builder.environment().putAll(ENVIRONMENT);
    return builder.start();
  }

  private record BoundedOutput(byte[] bytes, boolean cut) {}

  /**
   * @param writer ended when it writes more than {@code max}; null to discard the rest
   */
  private static BoundedOutput read(InputStream from, int max, @Nullable Process writer)
      throws IOException {
    var kept = new ByteArrayOutputStream();
    var buffer = new byte[8192];
    for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
      var room = max - kept.size();
      kept.write(buffer, 0, Math.min(n, room));
      if (n > room && writer != null) {
        writer.destroyForcibly();
        return new BoundedOutput(kept.toByteArray(), true);
      }
    }
    return new BoundedOutput(kept.toByteArray(), false);
  }

  /** A pipe that breaks means that git ended; its exit code says why. */
  private static boolean write(GitInput input, OutputStream to) {
    try (var out = new BufferedOutputStream(to, 1 << 16)) {
      input.write(out);
      return true;
    } catch (IOException gone) {
      return false;
    }
  }

  /** Runs work on a platform thread, because reading files would block other virtual threads. */
  private static <T> FutureTask<T> inBackground(Callable<T> work) {
    var task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().name("git").start(task);
    return task;
  }

  private static <T> T get(FutureTask<T> task) throws IOException, InterruptedException {
    try {
      return task.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw failed.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(failed.getCause());
    }
  }
}
