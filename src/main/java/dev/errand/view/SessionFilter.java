package dev.errand.view;

import dev.errand.conversation.SessionId;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which sessions a list shows; null and empty mean any.
 *
 * @param words each of them is part of the title
 * @param metadata the texts that the metadata has for these keys
 */
public record SessionFilter(
    @Nullable SessionId parent,
    @Nullable SessionId root,
    List<SessionState> states,
    @Nullable String agent,
    @Nullable SessionKind kind,
    @Nullable String words,
    Map<String, String> metadata,
    Period created) {}
