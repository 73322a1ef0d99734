/**
 * The tool {@code bash}: shell commands in the session's workspace, in a sandbox of bubblewrap.
 * {@link dev.errand.tool.shell.ShellCommand} is the port for commands that the service itself
 * executes. docs/sandbox.md describes what the sandbox protects. The one rule: no command runs
 * outside of a sandbox unless the operator has configured {@code unsandboxed}.
 */
@NullMarked
package dev.errand.tool.shell;

import org.jspecify.annotations.NullMarked;
