package dev.errand.tool.shell;

import com.sun.management.OperatingSystemMXBean;
import dev.errand.tool.ToolContext.ToolProgress;
import dev.errand.tool.file.FileRules;
import dev.errand.tool.shell.RunningCommand.ExitStatus;
import dev.errand.tool.shell.RunningCommand.ShellRequest;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.MemorySize;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jboss.logging.Logger;

/** Runs commands as configured, or explains why no command runs. */
@Singleton
class Shell {

  private static final Logger LOG = Logger.getLogger(Shell.class);

  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(10);

  private static final String OFF =
      "bash is disabled in this service: no command was run. Its operator can enable it with"
          + " errand.tools.bash=enabled (ERRAND_TOOLS_BASH). Use other tools.";
  private static final String NO_SANDBOX =
      "bash is not available in this service: no command was run. It needs a sandbox, and"
          + " bubblewrap does not work here; the log of the service says why. Use other tools.";

  private static final String READ_ONLY =
      "bash is not available to this session: no command was run. The session may not change every"
          + " file of its workspace, and without a sandbox this service cannot keep commands from"
          + " changing the other files. Use other tools.";

  private final ShellConfig config;
  private final ProcessTable processes;
  private final ShellLimits limits;
  private final FileRules rules;
  private final HelperPrograms programs;
  private final Bubblewrap sandbox;
  private final CommandSlots slots;
  private final Optional<String> refusal;

  /** The output of a command, and how it ended. */
  record ShellResult(String output, ExitStatus status) {}

  Shell(ShellConfig config, ProcessTable processes, FileRules rules) {
    if (config.bashTimeout().compareTo(config.bashMaxTimeout()) > 0) {
      throw new IllegalArgumentException(
          "errand.tools.bash-timeout is longer than errand.tools.bash-max-timeout");
    }
    this.config = config;
    this.processes = processes;
    limits = new ShellLimits(ShellLimits.PROCESSES, config.bashMemory().asLongValue());
    this.rules = rules;
    programs = new HelperPrograms(rules::mayBeWorkspace, System.getenv().getOrDefault("PATH", ""));
    sandbox = new Bubblewrap(config, programs, rules);
    slots =
        new CommandSlots(
            config.bashConcurrency(),
            config.bashTotalMemory().map(MemorySize::asLongValue).orElseGet(Shell::halfOfMemory));
    refusal =
        switch (config.bash()) {
          case DISABLED -> Optional.of(OFF);
          case UNSANDBOXED -> Optional.empty();
          case ENABLED -> worksHere() ? Optional.empty() : Optional.of(NO_SANDBOX);
        };
  }

  void warn(@Observes StartupEvent start) {
    if (config.bash() == ShellConfig.Bash.UNSANDBOXED) {
      LOG.warn(
          "errand.tools.bash=unsandboxed: commands of agents can read the keys and the data of this"
              + " service, and stop it");
    }
  }

  /** Returns why no command runs, as a text for the model; empty if commands run. */
  Optional<String> refusal() {
    return refusal;
  }

  /**
   * Returns why no command runs that must not change the workspace, which only a sandbox can
   * ensure; empty if they run.
   */
  Optional<String> readOnlyRefusal() {
    return refusal.or(() ->
        config.bash() == ShellConfig.Bash.UNSANDBOXED ? Optional.of(READ_ONLY) : Optional.empty());
  }

  /**
   * Runs one command. When this returns or throws, all processes of the command have ended.
   *
   * @throws IOException the command could not be started
   * @throws InterruptedException the caller was interrupted, and the command was killed
   * @throws ToolFailure the workspace is not allowed any more
   */
  ShellResult run(ShellRequest request, ToolProgress progress)
      throws IOException, InterruptedException {
    var allowed =
        new ShellRequest(
            request.command(),
            rules.workspace(request.workspace()),
            request.timeout(),
            request.readOnly());
    return runAnywhere(allowed, progress);
  }

  private ShellResult runAnywhere(ShellRequest request, ToolProgress progress)
      throws IOException, InterruptedException {
    var slot = slots.take(request.timeout(), progress);
    if (slot.isEmpty()) {
      throw new IOException(
          "%d other commands are running, and none of them ended within %d ms; try again later"
              .formatted(config.bashConcurrency(), request.timeout().toMillis()));
    }
    try (var mine = slot.get()) {
      var running = onPlatformThread(() -> start(request));
      ExitStatus status;
      try (running) {
        status = running.await(request.timeout(), pid -> excess(mine, pid), progress);
      }
      return new ShellResult(running.output(), status);
    }
  }

  private Optional<String> excess(CommandSlots.Slot slot, long pid) {
    var usage = processes.below(pid);
    return limits.excess(usage).or(() -> slot.excess(usage.memoryBytes()));
  }

  /** Looking at the files of a large workspace would block other virtual threads. */
  private static RunningCommand onPlatformThread(Callable<RunningCommand> starting)
      throws IOException, InterruptedException {
    var task = new FutureTask<>(starting);
    Thread.ofPlatform().daemon().name("bash-start").start(task);
    try {
      return task.get();
    } catch (InterruptedException stopped) {
      Thread.ofVirtual().start(() -> discard(task));
      throw stopped;
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw failed.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(failed.getCause());
    }
  }

  private static void discard(FutureTask<RunningCommand> task) {
    try {
      task.get().close();
    } catch (InterruptedException | ExecutionException neverStarted) {
      LOG.debug("A command was cancelled before it started", neverStarted);
    }
  }

  private static long halfOfMemory() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
        ? machine.getTotalMemorySize() / 2
        : Long.MAX_VALUE;
  }

  private RunningCommand start(ShellRequest request) throws IOException {
    var environment =
        ShellEnvironment.of(System.getenv(), config.bashEnvironment().orElse(List.of()));
    if (config.bash() == ShellConfig.Bash.UNSANDBOXED) {
      Optional.ofNullable(System.getenv("HOME")).ifPresent(home -> environment.put("HOME", home));
    }
    return RunningCommand.start(
        guard(request.workspace(), request.readOnly()),
        request,
        environment,
        config.bashOutputChars());
  }

  private Guard guard(Path workspace, boolean readOnly) throws IOException {
    var shell = Files.isExecutable(Path.of("/bin/bash")) ? "/bin/bash" : "/bin/sh";
    if (config.bash() == ShellConfig.Bash.UNSANDBOXED) {
      if (readOnly) {
        throw new IOException("without a sandbox it could change files");
      }
      return new Guard(limits.shell(shell, false), UUID.randomUUID().toString(), programs);
    }
    if (workspace.getNameCount() == 0) {
      throw new IOException("the root directory cannot be a workspace for commands");
    }
    var line = sandbox.commandLine(workspace, readOnly);
    line.addAll(limits.shell(shell, true));
    return new Guard(line, "", programs);
  }

  /** Runs {@code true} in the same way as any other command. */
  private boolean worksHere() {
    try {
      var directory = Files.createTempDirectory("errand-probe").toRealPath();
      try {
        var result =
            runAnywhere(
                new ShellRequest("true", directory, PROBE_TIMEOUT, false), ToolProgress.NONE);
        return result.status().isSuccess()
            || refuse(result.output() + " " + result.status().sentence());
      } finally {
        Files.delete(directory);
      }
    } catch (IOException failed) {
      return refuse(failed.toString());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return refuse("interrupted");
    }
  }

  private static boolean refuse(String reason) {
    LOG.warnf(
        "bash is enabled but not available: its sandbox does not work here (%s)", reason.strip());
    return false;
  }
}
