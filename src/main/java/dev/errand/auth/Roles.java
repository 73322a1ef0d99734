package dev.errand.auth;

/** The names of the roles, for annotations of resources. */
public final class Roles {

  /** Reads everything of its tenant. */
  public static final String VIEWER = "viewer";

  /** Opens sessions and uses its own; the sessions of others do not exist for it. */
  public static final String AGENT = "agent";

  /** Uses everything of its tenant. */
  public static final String OPERATOR = "operator";

  /** Manages tenants and keys, and uses everything of its own tenant, {@code default}. */
  public static final String ADMIN = "admin";

  /** Reads metrics. */
  public static final String METRICS = "metrics";

  /** A session token: uses one session and what is below it. No key has this role. */
  public static final String SESSION = "session";

  private Roles() {}
}
