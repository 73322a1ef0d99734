package dev.errand.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.EventId;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.event.CloudEvent;
import dev.errand.event.CloudEvent.StoredEvent;
import dev.errand.event.EventContent;
import dev.errand.event.EventType;
import dev.errand.postgres.Json;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.panache.common.Sort;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows the steps of sessions: their states, model calls, tool calls and deliveries, as events. */
@Singleton
public class StepViews {

  private static final List<EventType> STEPS =
      List.of(
          EventType.SESSION_STATE,
          EventType.SESSION_TAKEN_OVER,
          EventType.SESSION_FAILED,
          EventType.SESSION_MESSAGE,
          EventType.SESSION_SUMMARISED,
          EventType.MODEL_STARTED,
          EventType.MODEL_ENDED,
          EventType.TOOL_STARTED,
          EventType.TOOL_PROGRESS,
          EventType.TOOL_ENDED,
          EventType.TASK_RETRYING,
          EventType.DELIVERY_DELIVERED,
          EventType.DELIVERY_DEAD);

  private final Reader reader;
  private final Visibility visibility;
  private final Json json;

  StepViews(Reader reader, Visibility visibility, Json json) {
    this.reader = reader;
    this.visibility = visibility;
    this.json = json;
  }

  /**
   * The steps of sessions of one tree after a position, the oldest first. The words of messages are
   * left out; of the output of a tool call, the last part that was reported while it ran is shown.
   */
  public Slice<StoredEvent> page(List<SessionId> sessions, long after, int limit) {
    if (sessions.isEmpty()) {
      return new Slice<>(List.of(), false);
    }
    var where =
        visibility
            .conditions("sessionId")
            .whereAny(
                "sessionId in :sessions",
                "sessions",
                sessions.stream().map(SessionId::value).toList())
            .whereAny("type in :types", "types", STEPS.stream().map(EventType::word).toList())
            .where("number > :after", "after", after);
    return reader.page(
        () -> EventRow.<EventRow>find(where.text(), Sort.by("number"), where.values()),
        limit,
        this::event);
  }

  private StoredEvent event(EventRow row) {
    var what =
        new EventContent(
            row.type,
            row.subject == null ? null : new TaskId(row.subject).toString(),
            row.createdAt,
            json.readPlain(row.data, JsonNode.class));
    var id = new EventId(row.id).toString();
    return new StoredEvent(row.number, CloudEvent.of(id, new SessionId(row.sessionId), what));
  }

  /** An event of a stream, its data as JSON text. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select event.*, session.tenant from event join session on session.id = event.session_id
      """)
  static class EventRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public UUID sessionId;
    public long number;
    public String type;
    public @Nullable UUID subject;
    public String data;
    public Instant createdAt;
  }
}
