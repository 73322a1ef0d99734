package dev.errand.tool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.ToolEffect;
import dev.errand.permission.Permissions;
import java.util.List;
import java.util.Optional;

/**
 * A tool. Implementations are CDI beans and keep no state of a call. The {@link ToolBox} collects
 * them.
 */
public interface Tool {

  /** Returns the name, the schema and the general description of the tool, always the same. */
  ToolDefinition definition();

  /**
   * Returns the description for one caller, with the name and the arguments of {@link
   * #definition()}; empty if it is the general definition.
   */
  default Optional<ToolDefinition> definitionFor(Permissions permissions, ToolUser user) {
    return Optional.empty();
  }

  /** Returns what a parameter may name, if that depends on the caller. */
  default Optional<Choices> choices(Permissions permissions, ToolUser user) {
    return Optional.empty();
  }

  /**
   * Returns whether a caller whose permissions may allow some call can make one in this service.
   * Reads no files: the answer is needed in transactions, too.
   */
  default boolean isUsable(Permissions permissions) {
    return true;
  }

  /**
   * Returns whether there is something to call the tool for, for example a skill. If not, it is not
   * offered to that caller.
   */
  default boolean isOfUse(Permissions permissions, ToolUser user) {
    return true;
  }

  /**
   * Returns whether the tool belongs to this agent. For other agents it does not exist.
   *
   * @param agent the agent of the caller; empty for no particular agent
   */
  default boolean isOf(String agent) {
    return true;
  }

  /**
   * Returns whether the tool is offered to models. False for a tool that is switched off: a call by
   * name is then answered with how to switch it on.
   */
  default boolean isOffered() {
    return true;
  }

  /**
   * Returns whether a rule must allow the tool by its own name. Neither the absence of rules nor
   * {@code *} is sufficient then.
   */
  default boolean needsGrant() {
    return false;
  }

  /**
   * Returns the permissions, in addition to its own name, by which a rule offers the tool to an
   * agent whose loop runs elsewhere.
   */
  default List<String> grants() {
    return List.of();
  }

  /**
   * Returns the effect of repeating a call. It decides what happens to a call whose worker died
   * (architecture, rule 9).
   */
  ToolEffect effect();

  /** Returns the effect of one call, if it depends on the arguments. */
  default ToolEffect effect(ObjectNode arguments) {
    return effect();
  }

  /**
   * Returns the names that permission rules use for this tool, its own name first. Other names
   * stand for groups of tools and contain a colon, which the name of a tool cannot.
   */
  default List<String> permissions() {
    return List.of(definition().name());
  }

  /**
   * Returns the subject that permission patterns are matched against, for example a path or an
   * agent type; {@code *} if the call has none.
   */
  default String subject(ObjectNode arguments) {
    return "*";
  }

  /**
   * Returns the subject if it depends on the workspace: file tools return the resolved path,
   * however the call spells it. The {@link ToolBox} calls this method.
   */
  default String subject(ObjectNode arguments, ToolContext context) {
    return subject(arguments);
  }

  /**
   * Returns whether {@link #call} checks the permissions itself because the subject is known only
   * there. The {@link ToolBox} then does not ask for it.
   */
  default boolean checksSubject() {
    return false;
  }

  /** A call of another tool, which has the same effect. */
  record Equivalent(String tool, ObjectNode arguments) {}

  /**
   * Returns the call of another tool that has the same effect as this one, for example the
   * delegation that a command makes. Hooks of that tool are asked as well.
   *
   * @param arguments valid ones
   */
  default Optional<Equivalent> equivalent(ObjectNode arguments) {
    return Optional.empty();
  }

  /** Returns further names under which models may call the tool; they are not offered. */
  default List<String> otherNames() {
    return List.of();
  }

  /**
   * Renames aliases of parameters to the names in the schema, before validation. The arguments are
   * a copy and are changed in place.
   *
   * @throws ToolFailure the aliases contradict each other
   */
  default void canonicalize(ObjectNode arguments) {}

  /**
   * Returns whether the thread that runs {@link #call} may be interrupted. False for tools that use
   * the database, because an interrupt would break a pooled connection.
   */
  default boolean interruptible() {
    return true;
  }

  /** The kind of work that a call mostly does. */
  enum ToolLoad {
    /**
     * It waits, for a network, a process or another session: it has a virtual thread of its own.
     */
    WAITS,
    /**
     * It reads or writes files. Such calls share a few platform threads; on virtual threads they
     * would block the other virtual threads.
     */
    FILES,
    /**
     * It searches many files: like {@link #FILES}, but apart, and one call per session at a time.
     */
    SEARCH
  }

  /** Returns which threads run the calls. */
  default ToolLoad load() {
    return ToolLoad.WAITS;
  }

  /**
   * Runs the call. The arguments are valid, and optional fields are absent instead of null. Runs on
   * a thread of its own, outside any transaction.
   *
   * @throws ToolFailure becomes an error result with its message; any other exception becomes one
   *     without, because its message may contain what the model must not see
   */
  ToolOutcome call(ObjectNode arguments, ToolContext context);
}
