package dev.errand.session;

import dev.errand.permission.Permissions;
import java.nio.file.Path;

/** The settings of a new session's runs. */
public record SessionSpec(
    String agent,
    SessionKind kind,
    String model,
    Path workspace,
    int maxTurns,
    Permissions permissions) {}
