package dev.errand.tool;

import dev.errand.tenant.Tenant;

/**
 * The audience of a tool's description: the sessions of one agent of a tenant.
 *
 * @param agent empty for no particular agent
 */
public record ToolUser(String tenant, String agent) {

  /** No particular agent of the first tenant. */
  public static final ToolUser NOBODY = new ToolUser(Tenant.DEFAULT, ToolContext.NO_AGENT);
}
