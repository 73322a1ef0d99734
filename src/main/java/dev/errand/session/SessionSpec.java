package dev.errand.session;

import dev.errand.permission.Permissions;
import java.nio.file.Path;

/** What the runs of a new session are made of. */
public record SessionSpec(
    String agent,
    SessionKind kind,
    String model,
    Path workspace,
    int maxTurns,
    Permissions permissions) {}
