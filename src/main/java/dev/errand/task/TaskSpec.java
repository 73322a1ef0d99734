package dev.errand.task;

import dev.errand.agent.Isolation;
import dev.errand.permission.Rights;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task as planned: the request with every default filled in.
 *
 * @param label the caller's short name for the task
 * @param command the slash command that the task comes from
 * @param timeoutMs milliseconds from the first start
 * @param notes what the caller should know about how the request was understood
 * @param rights of the child session
 */
record TaskSpec(
    TaskKind kind,
    String subagentType,
    String description,
    String prompt,
    @Nullable String label,
    @Nullable String command,
    boolean background,
    Cleanup cleanup,
    int priority,
    String model,
    int maxTurns,
    long timeoutMs,
    Isolation isolation,
    @Nullable Thoroughness thoroughness,
    List<String> notes,
    Rights rights) {}
