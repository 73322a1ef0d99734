package dev.errand.view;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.Content;
import dev.errand.conversation.Cost;
import dev.errand.conversation.Covered;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.Usage;
import dev.errand.conversation.Word;
import dev.errand.postgres.Json;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.panache.common.Parameters;
import io.quarkus.panache.common.Sort;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows transcripts. */
@Singleton
public class MessageViews {

  private static final TypeReference<List<@Nullable Content>> CONTENT = new TypeReference<>() {};

  private final Reader reader;
  private final Json json;

  MessageViews(Reader reader, Json json) {
    this.reader = reader;
    this.json = json;
  }

  /** Returns the messages between two places, both excluded. */
  public Slice<MessageView> page(SessionId session, Range range, int limit) {
    var where =
        new Conditions()
            .where("sessionId = :session", "session", session.value())
            .where("seq > :after", "after", range.after())
            .where("seq < :before", "before", range.before());
    var sort =
        Sort.by("seq", range.newestFirst() ? Sort.Direction.Descending : Sort.Direction.Ascending);
    return reader.page(
        () -> MessageRow.<MessageRow>find(where.text(), sort, where.values()), limit, this::view);
  }

  /**
   * Which messages a page shows.
   *
   * @param before null for no bound
   */
  public record Range(long after, @Nullable Long before, boolean newestFirst) {}

  /**
   * Returns what was last said to the user after a message: by the assistant, or by the service
   * about the session.
   *
   * @return empty also when the message is not in the transcript
   */
  public Optional<MessageView> lastReply(SessionId session, MessageId sent) {
    return reader.call(() ->
        MessageRow.<MessageRow>find(
                "sessionId = :session and id = :id",
                Parameters.with("session", session.value()).and("id", sent.value()))
            .firstResultOptional()
            .flatMap(question -> lastReply(session, question.seq))
            .map(this::view));
  }

  private static Optional<MessageRow> lastReply(SessionId session, long afterSeq) {
    return MessageRow.<MessageRow>find(
            "sessionId = :session and seq > :after and role in ('assistant', 'system') and kind <>"
                + " 'summary'",
            Sort.by("seq", Sort.Direction.Descending),
            Parameters.with("session", session.value()).and("after", afterSeq))
        .firstResultOptional();
  }

  private MessageView view(MessageRow row) {
    return new MessageView(
        new MessageId(row.id),
        new SessionId(row.sessionId),
        row.seq,
        Word.of(MessageRole.class, row.role),
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
                Cost.ofMicros(row.cost),
                row.usageEstimated ? true : null)
            : null,
        row.startedAt,
        row.modelMs,
        row.modelAttempts,
        row.createdAt);
  }

  /**
   * A message as clients see it. One component per field of the wire format.
   *
   * @param covers the messages that a summary is sent in place of; null for other messages
   * @param taskId the task that a notice reports; null for other messages
   * @param deliveryId the delivery that brought a notice; null for other messages
   * @param model that wrote the message, with its {@code usage} and the start of its call; null for
   *     messages of others
   * @param modelMs how long the call took
   * @param modelAttempts the attempt, of the run that got it, that gave the answer
   */
  public record MessageView(
      MessageId id,
      SessionId sessionId,
      long seq,
      MessageRole role,
      List<Content> content,
      MessageKind kind,
      @Nullable Covered covers,
      @Nullable TaskId taskId,
      @Nullable DeliveryId deliveryId,
      @Nullable String model,
      @Nullable Usage usage,
      @Nullable Instant startedAt,
      @Nullable Long modelMs,
      @Nullable Integer modelAttempts,
      Instant createdAt) {}

  /** A message of a transcript, its content as JSON text. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select message.*, session.tenant from message join session on session.id = message.session_id
      """)
  static class MessageRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public UUID sessionId;
    public long seq;
    public String role;
    public String kind;
    public String content;
    public Instant createdAt;
    public @Nullable Long coversFrom;
    public @Nullable Long coversTo;
    public long inputTokens;
    public @Nullable Long cachedInputTokens;
    public long outputTokens;
    public @Nullable Long cost;
    public boolean usageEstimated;
    public @Nullable UUID taskId;
    public @Nullable String model;
    public @Nullable Instant startedAt;
    public @Nullable Long modelMs;
    public @Nullable Integer modelAttempts;
    public @Nullable UUID deliveryId;
  }
}
