package dev.errand.task.notice;

import dev.errand.task.Task;
import dev.errand.task.TaskKind;
import dev.errand.task.EndedTask;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.UntrustedText;
import dev.errand.session.SessionStore;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a parent reads when its background task ended (C3). */
@ApplicationScoped
public class Notices {

  private final NoticeTemplates templates;
  private final SessionStore sessions;

  Notices(NoticeTemplates templates, SessionStore sessions) {
    this.templates = templates;
    this.sessions = sessions;
  }

  public String of(EndedTask outcome) {
    return templates.render(NoticeForm.of(outcome), fields(outcome, origin(outcome.task())));
  }

  /** Where a spawned task's answer belongs; it went with the child (D7). */
  private @Nullable JsonNode origin(Task task) {
    return task.assignment().words().kind() == TaskKind.SPAWN
        ? sessions.find(task.kin().child()).map(child -> child.details().origin()).orElse(null)
        : null;
  }

  static Map<String, Object> fields(EndedTask outcome, @Nullable JsonNode origin) {
    var assignment = outcome.task().assignment();
    var ending = outcome.ending();
    var error = ending.error();
    var label = Objects.requireNonNullElse(assignment.words().label(), assignment.description());
    return Map.of(
        "outcome", ending.state().word(),
        "description", UntrustedText.line(assignment.description()),
        "label", NoticeText.label(label),
        "task", UntrustedText.line(assignment.prompt()),
        "agent", UntrustedText.line(assignment.subagentType()),
        "execution_time_ms", outcome.executionTimeMs(),
        "result", UntrustedText.quoted(ending.result().strip()),
        "error", error == null ? "" : UntrustedText.line(error.code() + ": " + error.message()),
        "metadata", NoticeText.metadata(outcome.task(), ending.state().word(), origin));
  }
}
