package dev.errand.view;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.Content;
import dev.errand.conversation.Cost;
import dev.errand.conversation.Covered;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.Usage;
import dev.errand.postgres.Json;
import io.quarkus.panache.common.Parameters;
import io.quarkus.panache.common.Sort;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Shows transcripts. */
@ApplicationScoped
public class MessageViews {

  private static final TypeReference<List<@Nullable Content>> CONTENT = new TypeReference<>() {};

  private final Reader reader;
  private final Json json;

  MessageViews(Reader reader, Json json) {
    this.reader = reader;
    this.json = json;
  }

  /** The messages after {@code afterSeq}, oldest first. */
  public Slice<MessageView> page(SessionId session, long afterSeq, int limit) {
    return reader.page(
        () ->
            MessageRow.<MessageRow>find(
                "sessionId = :session and seq > :after",
                Sort.by("seq"),
                Parameters.with("session", session.value()).and("after", afterSeq)),
        limit,
        this::view);
  }

  /** What was last said to the user: by the assistant, or by the service about the session. */
  public Optional<MessageView> lastReply(SessionId session) {
    return reader.first(
        () ->
            MessageRow.<MessageRow>find(
                "sessionId = :session and role in ('assistant', 'system') and kind <> 'summary'",
                Sort.by("seq", Sort.Direction.Descending),
                Parameters.with("session", session.value())),
        this::view);
  }

  private MessageView view(MessageRow row) {
    return new MessageView(
        new MessageId(row.id),
        new SessionId(row.sessionId),
        row.seq,
        Role.valueOf(row.role.toUpperCase(Locale.ROOT)),
        Content.known(json.read(row.content, CONTENT)),
        MessageKind.of(row.kind),
        row.coversFrom == null || row.coversTo == null
            ? null
            : new Covered(row.coversFrom, row.coversTo),
        row.taskId == null ? null : new TaskId(row.taskId),
        row.deliveryId == null ? null : new DeliveryId(row.deliveryId),
        row.model,
        row.role.equals("assistant") || row.coversTo != null
            ? new Usage(
                row.inputTokens,
                Objects.requireNonNullElse(row.cachedInputTokens, 0L),
                row.outputTokens,
                Cost.ofMicros(row.cost))
            : null,
        row.startedAt,
        row.modelMs,
        row.modelAttempts,
        row.createdAt);
  }
}
