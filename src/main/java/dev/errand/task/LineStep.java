package dev.errand.task;

import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.session.InboxEntry;
import dev.errand.session.Mailbox;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import dev.errand.session.SessionTransitions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.jboss.logging.Logger;

/**
 * Gives a free child to the first task in its line, in one transaction; looks again under locks.
 */
@ApplicationScoped
class LineStep {

  private static final Logger LOG = Logger.getLogger(LineStep.class);

  private static final TaskOutcome.Error CLOSED =
      new TaskOutcome.Error("session_closed", "the session that was to do it was closed before");

  private final SessionTransitions transitions;
  private final SessionStore sessions;
  private final Mailbox mailbox;
  private final TaskStore tasks;
  private final ChildQueue line;
  private final TaskCompletion ends;

  LineStep(
      SessionTransitions transitions,
      SessionStore sessions,
      Mailbox mailbox,
      TaskStore tasks,
      ChildQueue line,
      TaskCompletion ends) {
    this.transitions = transitions;
    this.sessions = sessions;
    this.mailbox = mailbox;
    this.tasks = tasks;
    this.line = line;
    this.ends = ends;
  }

  @Transactional
  void next(SessionId child) {
    if (!transitions.lock(child) && tasks.lockLive(child).isEmpty()) {
      line.takeFirst(child).ifPresent(this::begin);
    }
  }

  private void begin(ChildQueue.First first) {
    var task = tasks.find(first.task()).orElseThrow();
    sessions.adjust(task.child(), task.model(), task.maxTurns());
    if (deliver(task, first.admitted())) {
      LOG.infof("Task %s is the first in line for %s", task.id(), task.child());
    } else {
      ends.end(task, TaskOutcome.failed(CLOSED, ""), TaskCompletion.Notice.SEND);
    }
  }

  private boolean deliver(Task task, boolean admitted) {
    var prompt = new InboxEntry.UserMessage(task.prompt());
    return admitted
        ? mailbox
            .send(task.child(), MessageId.next(), prompt)
            .filter(state -> state != SessionState.CLOSED)
            .isPresent()
        : mailbox.hold(task.child(), MessageId.next(), prompt);
  }
}
