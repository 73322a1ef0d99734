package dev.errand.auth;

import dev.errand.conversation.Word;
import java.util.Optional;
import java.util.Set;

/** The rights of a caller. The routes that a role may use are annotated with {@link Roles}. */
public enum Role implements Word {
  VIEWER(Set.of(Roles.VIEWER)),
  AGENT(Set.of(Roles.AGENT)),
  OPERATOR(Set.of(Roles.OPERATOR, Roles.AGENT, Roles.VIEWER, Roles.METRICS)),
  ADMIN(Set.of(Roles.ADMIN, Roles.OPERATOR, Roles.AGENT, Roles.VIEWER, Roles.METRICS)),
  METRICS(Set.of(Roles.METRICS)),
  /** Of a session token. */
  SESSION(Set.of(Roles.SESSION));

  private final Set<String> included;

  Role(Set<String> included) {
    this.included = included;
  }

  /** Returns the roles whose routes it may use, itself included. */
  Set<String> included() {
    return included;
  }

  /** A role that a key or a user can have. */
  public static Optional<Role> parse(String word) {
    return Word.find(Role.class, word).filter(role -> role != SESSION);
  }
}
