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
 * Validates arguments against the schema of a third party, as far as it can be read. What is not
 * validated here is left to the owner of the tool. Never throws.
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
    this.check = check(definition.parameters());
  }

  List<FieldProblem> problems(ObjectNode arguments) {
    try {
      return check.map(known -> known.problems(arguments)).orElse(List.of());
    } catch (RuntimeException | StackOverflowError unusable) {
      LOG.debugf("The arguments of %s cannot be validated: %s", tool, unusable);
      return List.of();
    }
  }

  /** Validates once, because the validator reads a schema only on first use. */
  private Optional<ArgumentCheck> check(ObjectNode schema) {
    var copy = schema.deepCopy();
    copy.remove("$schema");
    try {
      var created = new ArgumentCheck(copy, CONFIG);
      created.problems(JsonNodeFactory.instance.objectNode());
      return Optional.of(created);
    } catch (RuntimeException | StackOverflowError unusable) {
      LOG.warnf(
          "The arguments of %s are not validated because its schema cannot be read: %s",
          tool, unusable);
      return Optional.empty();
    }
  }

  /** Matches in linear time. A pattern that RE2/J does not support matches every value. */
  private static RegularExpression pattern(String regex) {
    try {
      var pattern = Pattern.compile(regex);
      return value -> pattern.matcher(value).find();
    } catch (PatternSyntaxException unknown) {
      return _ -> true;
    }
  }
}
