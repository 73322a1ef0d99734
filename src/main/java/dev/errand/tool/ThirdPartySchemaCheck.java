package dev.errand.tool;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.regex.RegularExpression;
import dev.errand.conversation.ToolDefinition;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Checks arguments against a schema that somebody else wrote, as well as it can be read: what we
 * cannot check, the tool's owner will. Never throws.
 */
final class ThirdPartySchemaCheck {

  private static final Logger LOG = Logger.getLogger(ThirdPartySchemaCheck.class);

  private static final SchemaValidatorsConfig CONFIG =
      SchemaValidatorsConfig.builder()
          .locale(Locale.ENGLISH)
          .regularExpressionFactory(ThirdPartySchemaCheck::pattern)
          .build();

  private final String tool;
  private final Optional<ArgumentCheck> check;

  ThirdPartySchemaCheck(ToolDefinition definition) {
    this.tool = definition.name();
    this.check = made(definition.parameters());
  }

  List<FieldProblem> problems(ObjectNode arguments) {
    try {
      return check.map(made -> made.problems(arguments)).orElse(List.of());
    } catch (RuntimeException | StackOverflowError odd) {
      LOG.debugf("The schema of %s cannot check these arguments: %s", tool, odd);
      return List.of();
    }
  }

  /** The validator reads a schema only when it is used, so it is used once. */
  private Optional<ArgumentCheck> made(ObjectNode schema) {
    var copy = schema.deepCopy();
    copy.remove("$schema");
    try {
      var made = new ArgumentCheck(copy, CONFIG);
      made.problems(JsonNodeFactory.instance.objectNode());
      return Optional.of(made);
    } catch (RuntimeException | StackOverflowError odd) {
      LOG.warnf("The arguments of %s are not checked: its schema cannot be read (%s)", tool, odd);
      return Optional.empty();
    }
  }

  /** In linear time; what only slower engines understand fits everything. */
  private static RegularExpression pattern(String regex) {
    try {
      var pattern = Pattern.compile(regex);
      return value -> pattern.matcher(value).find();
    } catch (PatternSyntaxException unknown) {
      return _ -> true;
    }
  }
}
