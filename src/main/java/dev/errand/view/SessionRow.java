package dev.errand.view;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * A session, its callback and its pause. JSON columns are read as text, so that Hibernate needs no
 * mapper of its own for them.
 */
@Entity
@SuppressWarnings("NullAway.Init") // Hibernate sets the fields
@Immutable
@Subselect(
    """
    select session.*, callback.url as callback_url, callback.disabled_at as callback_disabled_at,
           (select count(*) from inbox
            where inbox.session_id = session.id and inbox.kind = 'notice' and inbox.consumed_at is null) as waiting_notices,
           (select count(*) from task
            where task.parent_session_id = session.id and task.state in ('pending', 'running')) as live_tasks,
           case when session.title is null then
             (select left(message.content #>> '{0,text}', 200) from message
              where message.session_id = session.id and message.seq = 1 and message.kind = 'message') end as opening,
           case when session.waits_on is not null then coalesce(pause.reason, 'it has just ended') end as pause_reason
    from session
    left join callback on callback.session_id = session.id
    left join pause on pause.id = session.waits_on
    """)
class SessionRow extends PanacheEntityBase {

  @Id public UUID id;
  @TenantId public String tenant;
  public @Nullable UUID parentId;
  public UUID rootId;
  public int depth;
  public String agent;
  public String kind;
  public @Nullable String title;
  public @Nullable String opening;
  public String state;
  public String model;
  public String workspace;
  public long inputTokens;
  public long cachedInputTokens;
  public long outputTokens;
  public @Nullable Long cost;
  public long turns;
  public long toolCalls;
  public @Nullable String origin;
  public @Nullable String metadata;
  public Instant createdAt;
  public Instant updatedAt;
  public @Nullable Instant queuedAt;
  public @Nullable String callbackUrl;
  public @Nullable Instant callbackDisabledAt;
  public int waitingNotices;
  public int liveTasks;
  public @Nullable String waitsFor;
  public @Nullable Instant waitsSince;
  public @Nullable Instant waitsUntil;
  public @Nullable UUID waitsOn;
  public @Nullable String errorCode;
  public @Nullable String errorMessage;
  public @Nullable Instant errorAt;
  public @Nullable String pauseReason;
}
