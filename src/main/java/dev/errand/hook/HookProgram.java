package dev.errand.hook;

import dev.errand.hook.HookCaller.HookReply;
import dev.errand.tool.file.FileRules;
import dev.errand.tool.shell.HelperPrograms;
import dev.errand.tool.shell.ShellEnvironment;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/**
 * Runs the programs of hooks: with an environment that contains no key of the service, in a process
 * group of their own, and no longer than their time-out. {@code timeout} makes the group, and ends
 * it when the service was killed.
 */
@Singleton
class HookProgram {

  private static final Logger LOG = Logger.getLogger(HookProgram.class);

  private static final List<String> INHERITED = List.of("HOME", "USER", "LOGNAME", "TMPDIR");

  /** Added to the time-out, so that {@code timeout} acts only if this process has died. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final int REFUSED = 2;

  private final HelperPrograms programs;
  private final Set<RunningHook> running = ConcurrentHashMap.newKeySet();

  HookProgram(FileRules rules) {
    this.programs =
        new HelperPrograms(rules::mayBeWorkspace, System.getenv().getOrDefault("PATH", ""));
  }

  /** Runs the program with the event on its standard input. No process of it is left. */
  HookReply run(HookTarget.ProgramTarget target, String body, Duration within)
      throws InterruptedException {
    try (var hook = start(target, within)) {
      running.add(hook);
      try {
        return hook.endsWithin(body, within)
            ? reply(hook)
            : new HookReply.NoReply("did not end in time", true);
      } finally {
        running.remove(hook);
      }
    } catch (IOException fault) {
      LOG.debugf(fault, "A hook could not be started");
      return HookReply.NoReply.of("cannot be started: " + fault.getMessage());
    }
  }

  private RunningHook start(HookTarget.ProgramTarget target, Duration within) throws IOException {
    var line = new ArrayList<String>();
    line.addAll(List.of(programs.find("timeout"), "-s", "KILL"));
    line.add(Long.toString(within.plus(GRACE).toSeconds()));
    line.addAll(target.words());
    var builder = new ProcessBuilder(line);
    builder.environment().clear();
    builder.environment().putAll(ShellEnvironment.of(System.getenv(), INHERITED));
    return new RunningHook(builder.start(), programs.find("sh"));
  }

  private static HookReply reply(RunningHook hook) throws InterruptedException {
    return switch (hook.exitValue()) {
      case 0 -> new HookReply.Answered(hook.output());
      case REFUSED -> new HookReply.Refused(hook.errors());
      default -> HookReply.NoReply.of("ended with exit code " + hook.exitValue());
    };
  }

  /** Runs after the runs of this node have ended. */
  void stop(@Observes @Priority(60) ShutdownEvent stop) {
    running.forEach(RunningHook::close);
  }
}
