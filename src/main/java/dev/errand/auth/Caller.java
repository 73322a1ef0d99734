package dev.errand.auth;

import dev.errand.conversation.SessionId;
import dev.errand.postgres.StorableText;
import dev.errand.tenant.Tenant;
import org.jspecify.annotations.Nullable;

/**
 * The caller of a request.
 *
 * @param subject {@code key:<id>}, {@code token:<id>}, {@code oidc:<subject>} or {@code anonymous}
 * @param role an administrator belongs to the tenant {@code default}; one of another tenant may do
 *     what an operator may
 * @param scope the session that a session token is for; null for all others
 * @param maker the subject that made the session token; null for all others
 */
public record Caller(
    String tenant, String subject, Role role, @Nullable SessionId scope, @Nullable String maker) {

  /** The tenant of a caller that has no other. */
  public static final String DEFAULT_TENANT = Tenant.DEFAULT;

  public Caller {
    if (role == Role.ADMIN && !tenant.equals(DEFAULT_TENANT)) {
      role = Role.OPERATOR;
    }
  }

  /** Every caller when there is no authentication. */
  static final Caller ANONYMOUS = new Caller(DEFAULT_TENANT, "anonymous", Role.ADMIN, null, null);

  private static final String KEY = "key:";

  static Caller ofKey(String id, String tenant, Role role) {
    return new Caller(tenant, KEY + id, role, null, null);
  }

  static Caller ofToken(String id, String tenant, SessionId session, String maker) {
    return new Caller(tenant, "token:" + id, Role.SESSION, session, maker);
  }

  /**
   * A person who has logged in at the console.
   *
   * @param subject that of the key or token that the person logged in with
   */
  static Caller ofLogin(String subject, String tenant, Role role) {
    return new Caller(tenant, subject, role, null, null);
  }

  static Caller ofOidc(String subject, String tenant, Role role) {
    return new Caller(tenant, "oidc:" + StorableText.of(subject), role, null, null);
  }

  /** Returns the subject that owns what the caller makes; null without authentication. */
  public @Nullable String owner() {
    return this.equals(ANONYMOUS) ? null : subject;
  }

  /**
   * Returns the subject whose limits apply: of a session token the subject that made it, which
   * could make many. Null without authentication.
   */
  @Nullable String client() {
    return maker == null ? owner() : maker;
  }

  /** Returns the id of the caller's key; null for a caller without one. */
  @Nullable String keyId() {
    return subject.startsWith(KEY) ? subject.substring(KEY.length()) : null;
  }
}
