package dev.errand.permission;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One permission rule (P1).
 *
 * @param permission a tool's name or that of a group of tools, with {@code *} for any characters
 * @param pattern what the call is about – a path, an agent type, a command – with {@code *} for any
 *     characters
 */
public record Rule(String permission, String pattern, Action action) {

  /** What a matching rule says. */
  public enum Action {
    @JsonProperty("allow")
    ALLOW,
    @JsonProperty("deny")
    DENY
  }

  public static Rule allow(String permission) {
    return new Rule(permission, "*", Action.ALLOW);
  }

  public static Rule deny(String permission) {
    return new Rule(permission, "*", Action.DENY);
  }

  boolean matches(String askedPermission, String subject) {
    return namesPermission(askedPermission) && new Wildcard(pattern).matches(subject);
  }

  boolean namesPermission(String askedPermission) {
    return new Wildcard(permission).matches(askedPermission);
  }
}
