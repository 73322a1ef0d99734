package dev.errand.tool.shell;

import dev.errand.setting.Bounds;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Configuration of shell commands. Read at start; invalid values stop the start. */
@ConfigMapping(prefix = "errand.tools")
public interface ShellConfig {

  /** The way in which shell commands run. */
  enum Bash {
    DISABLED,
    ENABLED,
    UNSANDBOXED
  }

  /**
   * {@code disabled} (default): no shell. {@code enabled}: in a sandbox; if it does not work here,
   * commands do not run. {@code unsandboxed}: with the rights of this service, so that commands can
   * read its keys and data, and stop it; for machines that are a sandbox themselves.
   */
  @WithDefault("disabled")
  Bash bash();

  /**
   * Whether commands in the sandbox have network access. Default false. With it, they reach
   * everything that this machine reaches, including its loopback addresses.
   */
  @WithDefault("false")
  boolean bashNetwork();

  /**
   * The time-out of a command that sets none. Default 120 s. A shorter time ends a hung command
   * sooner; a longer time allows builds by default.
   */
  @WithDefault("120s")
  @Bounds(min = "1ms")
  Duration bashTimeout();

  /** The longest time-out that a command may set. Default 600 s. */
  @WithDefault("600s")
  @Bounds(min = "1ms")
  Duration bashMaxTimeout();

  /**
   * How many characters of the output the model gets; the middle of longer output is left out.
   * Default 30,000. Fewer save tokens; more avoid a second call.
   */
  @WithDefault("30000")
  @Bounds(min = "200", max = "90000")
  int bashOutputChars();

  /**
   * The memory of one command with all its processes; a command that uses more is killed. Default 4
   * GiB. Less protects the service on a small machine; more allows larger builds.
   */
  @WithDefault("4G")
  MemorySize bashMemory();

  /**
   * Commands that a node runs at the same time. Default 16. A command above the limit waits as long
   * as its time-out. Fewer protect the service on a small machine; more let busy nodes continue.
   */
  @WithDefault("16")
  @Bounds(min = "1")
  int bashConcurrency();

  /**
   * The memory of all commands of a node together; above it, the command that uses most is killed.
   * Absent: half of the memory of the machine or the container.
   */
  Optional<MemorySize> bashTotalMemory();

  /**
   * The names of environment variables that commands inherit in addition to PATH, LANG, LC_*, TZ
   * and JAVA_HOME. Absent: none.
   */
  Optional<List<String>> bashEnvironment();

  /**
   * Directories and files that commands in the sandbox may read in addition to the system's and the
   * workspace: {@code /opt/node}, {@code /etc/maven}. Absent: none.
   */
  Optional<List<Path>> bashReadOnlyPaths();

  /** The sandbox program, by name or path; version 0.8 or later. */
  @WithDefault("bwrap")
  String bashBubblewrap();
}
