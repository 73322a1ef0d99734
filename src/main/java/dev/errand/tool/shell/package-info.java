/**
 * The tool {@code bash}: shell commands in the session's workspace, in a sandbox of bubblewrap.
 * {@link dev.errand.tool.shell.ShellCommand} is the port for commands that this service does
 * itself. What the sandbox protects from, and what not, is in docs/sandbox.md. The one rule: no
 * command runs outside of a sandbox unless the operator has said {@code unsandboxed}.
 */
@NullMarked
package dev.errand.tool.shell;

import org.jspecify.annotations.NullMarked;
