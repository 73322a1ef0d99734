package dev.errand.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.AuditId;
import dev.errand.conversation.SessionId;
import dev.errand.postgres.Json;
import jakarta.enterprise.context.ApplicationScoped;

/** Shows who did what. */
@ApplicationScoped
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
        row.details == null ? null : json.read(row.details, JsonNode.class));
  }
}
