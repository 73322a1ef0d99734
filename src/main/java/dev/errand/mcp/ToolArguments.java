package dev.errand.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.delegate.ClientTools;
import dev.errand.tool.FieldProblem;
import dev.errand.tool.ToolFailure;
import jakarta.inject.Singleton;
import java.util.stream.Collectors;

/** Checks the arguments of calls by the schemas of the tools. */
@Singleton
class ToolArguments {

  private final ClientTools tools;

  ToolArguments(ClientTools tools) {
    this.tools = tools;
  }

  /**
   * Returns the arguments with the names of the schema and without nulls.
   *
   * @throws ToolError they do not fit the schema
   */
  ObjectNode checked(String tool, ObjectNode given) {
    var arguments = given.deepCopy();
    arguments.removeNulls();
    try {
      var problems = tools.problems(tool, arguments);
      if (!problems.isEmpty()) {
        throw new ToolError(
            problems.stream()
                .map(FieldProblem::toString)
                .collect(Collectors.joining("; ", "Invalid arguments for " + tool + ": ", "")));
      }
    } catch (ToolFailure failure) {
      throw new ToolError(String.valueOf(failure.getMessage()));
    }
    return arguments;
  }
}
