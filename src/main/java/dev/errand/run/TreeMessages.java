package dev.errand.run;

import dev.errand.conversation.SessionId;
import dev.errand.session.Session;
import dev.errand.session.SessionStore;
import dev.errand.session.Transcript;
import dev.errand.task.TaskList;
import dev.errand.tool.web.UserMessages;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/** The messages to a root session, and the prompts of the tasks that clients submitted. */
@Singleton
class TreeMessages implements UserMessages {

  private final SessionStore sessions;
  private final Transcript transcript;
  private final TaskList tasks;

  TreeMessages(SessionStore sessions, Transcript transcript, TaskList tasks) {
    this.sessions = sessions;
    this.transcript = transcript;
    this.tasks = tasks;
  }

  @Override
  public List<String> inTreeOf(SessionId session) {
    return sessions.find(session).map(Session::root).map(this::texts).orElse(List.of());
  }

  private List<String> texts(SessionId root) {
    var texts = new ArrayList<>(transcript.userTexts(root));
    texts.addAll(tasks.promptsOfClients(root));
    return texts;
  }
}
