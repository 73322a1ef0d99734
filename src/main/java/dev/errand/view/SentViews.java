package dev.errand.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import dev.errand.session.SentRequest;
import dev.errand.session.SentRequests;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.panache.common.Parameters;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows the requests of turns as they were sent. */
@Singleton
public class SentViews {

  private final Reader reader;
  private final Json json;
  private final SentRequests sent;
  private final Clock clock;

  SentViews(Reader reader, Json json, SentRequests sent, Clock clock) {
    this.reader = reader;
    this.json = json;
    this.sent = sent;
    this.clock = clock;
  }

  /** Returns the request that was answered with a message; empty when it is not kept. */
  public Optional<SentView> find(SessionId session, long seq) {
    var values =
        Parameters.with("session", session.value())
            .and("seq", seq)
            .and("since", clock.instant().minus(sent.keptFor()));
    return reader.first(
        () ->
            SentRow.<SentRow>find(
                "sessionId = :session and seq = :seq and sentAt > :since", values),
        this::view);
  }

  private SentView view(SentRow row) {
    var request = row.request;
    return new SentView(
        row.seq,
        row.model,
        row.sentAt,
        request == null,
        request == null ? null : json.readPlain(SentRequest.json(request), JsonNode.class));
  }

  /**
   * The request of a turn.
   *
   * @param seq of the message that answered it
   * @param sentAt when the call that was answered began
   * @param truncated whether the request was too large to be kept
   * @param request the body in the format of the provider, secrets masked; null when it is
   *     truncated
   */
  public record SentView(
      long seq, String model, Instant sentAt, boolean truncated, @Nullable JsonNode request) {}

  /** A request that is kept, with the answer of it. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Subselect(
      """
      select message.id, session_id, seq, message.model, sent_at, request, session.tenant
      from sent_request join message using (session_id, seq) join session on session.id = session_id
      """)
  static class SentRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public UUID sessionId;
    public long seq;
    public String model;
    public Instant sentAt;
    public byte @Nullable [] request;
  }
}
