package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.permission.Permissions;
import java.util.List;

/**
 * One tool. Implementations are CDI beans and are found by the {@link ToolBox}; they hold no state
 * of a call.
 */
public interface Tool {

  /** Its name and schema, the same for everybody, and what is to be said of it in general. */
  ToolDefinition definition();

  /** What a caller with these permissions is told of it: name and schema as for everybody (D6). */
  default ToolDefinition definition(Permissions permissions) {
    return definition();
  }

  /**
   * Whether it is of any use to a caller whose permissions may allow some call of it; if not, that
   * caller is not told of it.
   */
  default boolean isOfUse(Permissions permissions) {
    return true;
  }

  /**
   * Whether this agent has it. To the others it is as if it were not there.
   *
   * @param agent the caller's; empty: no agent in particular
   */
  default boolean isOf(String agent) {
    return true;
  }

  /**
   * Whether models are told of it. False for a tool that is switched off: a call by name is then
   * answered with how to switch it on.
   */
  default boolean isOffered() {
    return true;
  }

  /**
   * Whether only those have it whose rules allow it by its own name: neither the absence of rules
   * nor {@code *} is enough.
   */
  default boolean needsGrant() {
    return false;
  }

  /**
   * What doing it twice would mean; decides what happens to a call whose worker died (architecture,
   * rule 9).
   */
  ToolEffect effect();

  /** The same for one call, where that depends on what the call is about. */
  default ToolEffect effect(ObjectNode arguments) {
    return effect();
  }

  /**
   * The names by which permission rules may mean it (P1), its own first. Others stand for a group
   * of tools; they hold a colon, which no tool's name has.
   */
  default List<String> permissions() {
    return List.of(definition().name());
  }

  /**
   * What a call is about, for permission patterns (P1): a path, an agent type; {@code *} when
   * nothing in particular.
   */
  default String subject(ObjectNode arguments) {
    return "*";
  }

  /**
   * What a call is about where that depends on the workspace: file tools name the file itself,
   * however the call spells its path. The {@link ToolBox} asks this one.
   */
  default String subject(ObjectNode arguments, ToolContext context) {
    return subject(arguments);
  }

  /**
   * Whether {@link #call} itself refuses what the caller may not do on what the call is about,
   * since that shows only there. The {@link ToolBox} then asks for no subject.
   */
  default boolean checksSubject() {
    return false;
  }

  /**
   * Renames other names of parameters to those of the schema, before the arguments are checked
   * against it. Called with a copy; changes it in place.
   */
  default void canonicalize(ObjectNode arguments) {}

  /**
   * Whether the thread that runs {@link #call} may be interrupted. False for tools that use the
   * database: an interrupt would break a pooled connection.
   */
  default boolean interruptible() {
    return true;
  }

  /**
   * Whether a call keeps a processor busy rather than waits. Such calls share a few platform
   * threads: on a virtual thread they would keep everything else of the service from running.
   */
  default boolean computes() {
    return false;
  }

  /**
   * Does it. The arguments fit the schema; what may be absent is never null. Runs on a thread of
   * its own, outside any transaction. An exception becomes an error result: a {@link ToolFailure}
   * with its message, any other without, since its words may name what the model should not see.
   */
  ToolOutcome call(ObjectNode arguments, ToolContext context);
}
