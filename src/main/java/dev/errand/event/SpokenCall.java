package dev.errand.event;

import dev.errand.conversation.SessionId;

/**
 * The model call of a session whose words are heard.
 *
 * @param root of the tree that the session belongs to
 * @param seq the place of the answer, as in the event {@code model.started}
 * @param attempt as in this event
 */
public record SpokenCall(SessionId session, SessionId root, long seq, int attempt) {}
