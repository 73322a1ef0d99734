package dev.errand.worktree;

import dev.errand.setting.Bounds;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;

/** The copies for {@code isolation: worktree}. */
@ConfigMapping(prefix = "errand.worktrees")
public interface WorktreesConfig {

  /**
   * The directory of the copies. Default {@code worktrees} in {@code errand.home}. All nodes that
   * run sessions must share it: a node that does not see a copy ends its task with {@code
   * workspace_lost}.
   */
  Path dir();

  /** How many files a copy may have. Default 20,000. */
  @WithDefault("20000")
  @Bounds(min = "1", max = "1000000")
  int maxFiles();

  /** How many bytes the files of a copy may have together. Default 512M. */
  @WithDefault("512M")
  MemorySize maxBytes();

  /**
   * The age at which a folder that belongs to no task is deleted. A copy is made before its task is
   * committed, so the time must be longer than that takes. Default 10 min, at least 1 s.
   */
  @WithDefault("10m")
  @Bounds(min = "1s")
  Duration strayAfter();
}
