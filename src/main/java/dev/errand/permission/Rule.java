package dev.errand.permission;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One permission rule.
 *
 * @param permission the name of a tool or of a group of tools, with {@code *} for any characters
 * @param pattern the subject of the call (a path, an agent, a command), with {@code *} for any
 *     characters
 */
public record Rule(String permission, String pattern, Action action) {

  /** What a matching rule does. */
  public enum Action {
    @JsonProperty("allow")
    ALLOW,
    /** Also what a stored action means that only a newer version knows. */
    @JsonEnumDefaultValue
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
