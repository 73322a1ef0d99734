package dev.errand.tool;

/**
 * For whom tools are described: the sessions of one agent of a tenant.
 *
 * @param agent empty for no particular agent
 */
public record ToolUser(String tenant, String agent) {

  /** No particular agent of the first tenant. */
  public static final ToolUser NOBODY = new ToolUser("default", ToolContext.NO_AGENT);
}
