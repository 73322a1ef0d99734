package dev.errand.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.AuditId;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.inject.Singleton;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.TenantId;
import org.jspecify.annotations.Nullable;

/** Shows who did what. */
@Singleton
public class AuditViews {

  private final Reader reader;
  private final Json json;

  AuditViews(Reader reader, Json json) {
    this.reader = reader;
    this.json = json;
  }

  public Slice<AuditView> page(AuditFilter filter, Listing page) {
    var session = filter.session();
    var where =
        new Conditions()
            .where("subject = :subject", "subject", filter.subject())
            .where("action = :action", "action", filter.action())
            .where("sessionId = :session", "session", session == null ? null : session.value())
            .where("at > :after", "after", filter.at().after())
            .where("at < :before", "before", filter.at().before())
            .page(page);
    return reader.page(
        () -> AuditRow.<AuditRow>find(where.text(), page.sort(), where.values()),
        page.limit(),
        this::view);
  }

  private AuditView view(AuditRow row) {
    return new AuditView(
        new AuditId(row.id),
        row.at,
        row.tenant,
        row.subject,
        row.action,
        row.sessionId == null ? null : new SessionId(row.sessionId),
        row.target,
        json.readTree(row.details));
  }

  /** The acts that a list shows; null means any. */
  public record AuditFilter(
      @Nullable String subject, @Nullable String action, @Nullable SessionId session, Period at) {}

  /**
   * An act of a client.
   *
   * @param subject {@code key:<id>}, {@code token:<id>}, {@code oidc:<subject>} or {@code
   *     anonymous}
   * @param sessionId the session that was used
   * @param target the id of what was used in addition: a task, delivery, key or token
   */
  public record AuditView(
      AuditId id,
      Instant at,
      String tenant,
      String subject,
      String action,
      @Nullable SessionId sessionId,
      @Nullable String target,
      @Nullable JsonNode details) {}

  /** An act of a client. */
  @Entity
  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields
  @Immutable
  @Table(name = "audit")
  static class AuditRow extends PanacheEntityBase {

    @Id public UUID id;
    @TenantId public String tenant;
    public Instant at;
    public String subject;
    public String action;
    public @Nullable UUID sessionId;
    public @Nullable String target;
    public @Nullable String details;
  }
}
