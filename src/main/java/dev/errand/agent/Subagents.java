package dev.errand.agent;

import dev.errand.markdown.BrokenFile;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads which agents an agent may delegate to: those of the key {@code subagents}, or those that
 * entries {@code Task(name)} and {@code Agent(name)} of {@code tools} name. Several entries add up.
 * A file that uses both ways is refused, because it would not say whether a subagent must be in one
 * list or in both.
 */
final class Subagents {

  private Subagents() {}

  /**
   * @return the names as the file gives them; empty if it names none
   * @throws BrokenFile the file names them in both ways
   */
  static List<FieldText> of(AgentFields fields) {
    var named = fields.texts(AgentFileKey.SUBAGENTS);
    var inTools = inTools(fields);
    if (named.isPresent() && !inTools.isEmpty()) {
      var entry = inTools.getFirst();
      throw fields.broken(
          entry.line(),
          "'tools' limits tasks to '%s' although there is 'subagents'; name the agents in one of them"
              .formatted(entry.text()));
    }
    return named.orElse(inTools);
  }

  private static List<FieldText> inTools(AgentFields fields) {
    var names = new ArrayList<FieldText>();
    for (var entry : fields.tools()) {
      ToolGrant.of(entry.text())
          .filter(grant -> grant.tool().equals("task") && !grant.isUnlimited())
          .ifPresent(grant ->
              grant.patterns().forEach(name -> names.add(new FieldText(name, entry.line()))));
    }
    return names;
  }
}
