package dev.errand.tool.shell;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMin;

/** Whether and how shell commands run. Read at start-up; values that make no sense stop it. */
@ConfigMapping(prefix = "errand.tools")
public interface ShellConfig {

  /** Where shell commands may run. */
  enum Bash {
    DISABLED,
    ENABLED,
    UNSANDBOXED
  }

  /**
   * {@code disabled} (default): no shell. {@code enabled}: in a sandbox, and not at all where none
   * works. {@code unsandboxed}: as this service itself – commands can read its keys and its data,
   * and kill it; for machines that are a sandbox themselves.
   */
  @WithDefault("disabled")
  Bash bash();

  /**
   * Whether commands in the sandbox reach the network. Default false. With it they reach all that
   * this machine reaches, its own loopback addresses included.
   */
  @WithDefault("false")
  boolean bashNetwork();

  /**
   * How long a command may run that names no time-out. Default 120 s. Shorter frees a hung turn
   * sooner; longer allows builds without asking for more.
   */
  @WithDefault("120s")
  @DurationMin(millis = 1)
  Duration bashTimeout();

  /** The longest time-out that a command may ask for. Default 600 s. */
  @WithDefault("600s")
  @DurationMin(millis = 1)
  Duration bashMaxTimeout();

  /**
   * Characters of its output that the model reads; of longer ones the middle is left out. Default
   * 30,000. Fewer saves tokens; more spares a second call.
   */
  @WithDefault("30000")
  @Min(200)
  @Max(90_000)
  int bashOutputChars();

  /**
   * Memory of one command with all its children; who takes more is killed. Default 4 GiB. Less
   * protects the service on a small machine; more allows larger builds.
   */
  @WithDefault("4G")
  MemorySize bashMemory();

  /**
   * Names of environment variables that commands get beside PATH, LANG, LC_*, TZ and JAVA_HOME.
   * Absent: none.
   */
  Optional<List<String>> bashEnvironment();

  /**
   * Folders and files that commands in the sandbox may read beside the system's and the workspace:
   * {@code /opt/node}, {@code /etc/maven}. Absent: none.
   */
  Optional<List<Path>> bashReadOnlyPaths();

  /** The sandbox program, by name or path; version 0.8 or later. */
  @WithDefault("bwrap")
  String bashBubblewrap();
}
