package dev.errand.tool.shell;

import java.nio.file.Path;
import java.time.Duration;

/**
 * One command to run in the directory {@code workspace}.
 *
 * @param readOnly whether it must not change the workspace
 */
record ShellRequest(String command, Path workspace, Duration timeout, boolean readOnly) {}
