package dev.errand.job;

import dev.errand.conversation.SessionId;
import dev.errand.kit.TaskKit;
import dev.errand.kit.TestDatabase;
import dev.errand.postgres.SecretCipherTest;

/** What each upkeep has to do. In the statements, {@code %1$s} is a session without tasks. */
enum UpkeepCase {
  SESSIONS(
      "delete_unused_sessions",
      "update session set created_at = now() - interval '31 days', updated_at = now() - interval '31 days' where id = '%1$s'",
      "session where id = '%1$s'"),
  KEYS(
      "delete_expired_keys",
      """
      insert into idempotency_key (tenant, scope, key, body_sha256, task_id, expires_at)
      select 'default', '%1$s', n, '', gen_random_uuid(), now() - interval '1 second' from generate_series(1, 5001) n
      """,
      "idempotency_key where scope = '%1$s'"),
  EVENTS(
      "delete_old_events",
      """
      insert into event (root_id, number, session_id, id, type, data, created_at)
      select '%1$s', 1000 + n, '%1$s', gen_random_uuid(), 'session.state', '{}', now() - interval '31 days'
      from generate_series(1, 5001) n
      """,
      "event where root_id = '%1$s' and number > 1000"),
  JOBS(
      "delete_failed_jobs",
      """
      insert into jobrunr_jobs (id, version, jobasjson, jobsignature, state, createdat, updatedat)
      values (gen_random_uuid()::text, 1, '{}', '%1$s', 'FAILED', now(), now() - interval '3 days')
      """,
      "jobrunr_jobs where jobsignature = '%1$s'"),
  SENT_REQUESTS(
      "delete_old_sent_requests",
      """
      insert into sent_request (session_id, seq, sent_at)
      select '%1$s', n, now() - interval '1 second' from generate_series(1, 1001) n
      """,
      "sent_request where session_id = '%1$s'"),
  AUDIT(
      "delete_old_audit",
      """
      insert into audit (id, tenant, at, subject, action)
      select gen_random_uuid(), 'default', now() - interval '91 days', '%1$s', 'test' from generate_series(1, 5001)
      """,
      "audit where subject = '%1$s'"),
  HOOK_EVENTS(
      "delete_old_hook_events",
      """
      insert into outbox (id, tenant, kind, target, session_id, receiver, stream, event, created_at)
      select gen_random_uuid(), 'default', 'hook', 'hook', '%1$s', 'removed', 'removed %1$s', '{"event": "task.ended"}', now() - interval '37 hours'
      from generate_series(1, 2)
      """,
      "outbox where session_id = '%1$s'"),
  TENANT_KEYS(
      "encrypt_tenant_keys",
      """
      insert into tenant (id, models) values ('%1$s', '{"providers": {"openai": {"api_key": "%2$s", "key_id": "%3$s"}}}')
      """,
      "tenant where id = '%1$s' and models::text like '%%%3$s%%'"),
  CALLBACK_SECRETS(
      "encrypt_callback_secrets",
      "insert into callback (session_id, url, secret) values ('%1$s', 'http://127.0.0.1:9', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')",
      "callback where session_id = '%1$s' and key_id is null"),
  HOURS(
      "delete_old_hours",
      "insert into tenant_hour (tenant, hour, slot, delegations) values ('%1$s', now() - interval '25 hours', 0, 1)",
      "tenant_hour where tenant = '%1$s'"),
  DAYS(
      "delete_old_days",
      "insert into tenant_day (tenant, day, slot, tokens, cached_tokens) values ('%1$s', current_date - 402, 0, 1, 0)",
      "tenant_day where tenant = '%1$s'");

  private final String upkeep;
  private final String make;
  private final String rows;

  UpkeepCase(String upkeep, String make, String rows) {
    this.upkeep = upkeep;
    this.make = make;
    this.rows = rows;
  }

  String upkeep() {
    return upkeep;
  }

  void make(TaskKit kit, SessionId session) {
    kit.tamper(filled(make, session));
  }

  /** How much is left to do. */
  long left(TaskKit kit, SessionId session) {
    return kit.row("select count(*) from " + filled(rows, session), Long.class);
  }

  private static String filled(String sql, SessionId session) {
    var old =
        SecretCipherTest.cipher(TestDatabase.OLD_SECRETS_KEY)
            .encrypt("sk-4711", "tenant.models " + session.value() + " openai");
    return sql.formatted(session.value(), old.text(), old.keyId());
  }
}
