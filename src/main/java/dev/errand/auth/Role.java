package dev.errand.auth;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** What a caller may do. The routes that a role may use are annotated with {@link Roles}. */
public enum Role {
  VIEWER(Roles.VIEWER, Set.of(Roles.VIEWER)),
  AGENT(Roles.AGENT, Set.of(Roles.AGENT)),
  OPERATOR(Roles.OPERATOR, Set.of(Roles.OPERATOR, Roles.AGENT, Roles.VIEWER, Roles.METRICS)),
  ADMIN(Roles.ADMIN, Set.of(Roles.ADMIN, Roles.OPERATOR, Roles.AGENT, Roles.VIEWER, Roles.METRICS)),
  METRICS(Roles.METRICS, Set.of(Roles.METRICS)),
  /** Of a session token. */
  SESSION(Roles.SESSION, Set.of(Roles.SESSION));

  private final String word;
  private final Set<String> included;

  Role(String word, Set<String> included) {
    this.word = word;
    this.included = included;
  }

  @JsonValue
  public String word() {
    return word;
  }

  /** The roles whose routes it may use, itself included. */
  Set<String> included() {
    return included;
  }

  /** A role that a key or a user can have. */
  public static Optional<Role> parse(String word) {
    return Arrays.stream(values())
        .filter(role -> role != SESSION && role.word.equals(word))
        .findFirst();
  }
}
