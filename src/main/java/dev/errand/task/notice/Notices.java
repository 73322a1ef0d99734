package dev.errand.task.notice;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.UntrustedText;
import dev.errand.session.SessionStore;
import dev.errand.task.Task;
import dev.errand.task.TaskKind;
import dev.errand.task.notice.NoticeTemplates.NoticeForm;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The notices of ended background tasks. */
@Singleton
public class Notices {

  private final NoticeTemplates templates;
  private final SessionStore sessions;

  Notices(NoticeTemplates templates, SessionStore sessions) {
    this.templates = templates;
    this.sessions = sessions;
  }

  public String of(Task ended) {
    return templates.render(NoticeForm.of(ended), fields(ended, origin(ended)));
  }

  /** Returns the origin where the answer of a spawned task belongs; the child inherited it. */
  private @Nullable JsonNode origin(Task task) {
    return task.kind() == TaskKind.SPAWN
        ? sessions.find(task.child()).map(child -> child.origin()).orElse(null)
        : null;
  }

  static Map<String, Object> fields(Task task, @Nullable JsonNode origin) {
    var outcome = task.end();
    var error = outcome.problem();
    var label = Objects.requireNonNullElse(task.label(), task.description());
    return Map.of(
        "outcome", outcome.word(),
        "description", UntrustedText.line(task.description()),
        "label", NoticeText.label(label),
        "task", UntrustedText.line(task.prompt()),
        "agent", UntrustedText.line(task.subagentType()),
        "execution_time_ms", task.runMs(),
        "result", UntrustedText.quoted(outcome.result().strip()),
        "error", error == null ? "" : UntrustedText.line(error.code() + ": " + error.message()),
        "changes", NoticeText.changes(task),
        "metadata", NoticeText.metadata(task, outcome.state().word(), origin));
  }
}
