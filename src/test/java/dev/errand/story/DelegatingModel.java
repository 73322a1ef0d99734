package dev.errand.story;

import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The script of the model of Claude Code: it delegates when it is asked to, and says a word about
 * everything else.
 */
final class DelegatingModel {

  private static final Pattern ORDER = Pattern.compile("Delegate (\\d+) tasks\\.");
  private static final Pattern NOTIFICATION =
      Pattern.compile("(?s)<task-notification>.*?<result>\\s*(.*?)\\s*</result>");

  private final String title;

  /**
   * @param title the description of its tasks
   */
  DelegatingModel(String title) {
    this.title = title;
  }

  Answer answer(ModelCall call) {
    var asked =
        call.turns().reversed().stream()
            .filter(turn -> turn.role().equals("user"))
            .findFirst()
            .orElseThrow();
    if (asked.text().contains("<task-notification>")) {
      return Answer.says("I was told.");
    }
    return ORDER
        .matcher(asked.answers().isEmpty() ? asked.text() : "")
        .results()
        .findFirst()
        .map(this::calls)
        .orElse(Answer.says("I wait for the answers."));
  }

  private Answer calls(MatchResult order) {
    return Answer.calls(
        IntStream.rangeClosed(1, Integer.parseInt(order.group(1)))
            .mapToObj(this::prompt)
            .map(prompt ->
                Answer.call("mcp__errand__task", Map.of("description", title, "prompt", prompt)))
            .toArray(Call[]::new));
  }

  /** The prompt of a task, counted from 1. */
  String prompt(int number) {
    return "Find number %d of %s.".formatted(number, title);
  }

  /** The results that this request tells the model of. */
  static List<String> told(ModelCall call) {
    return call.turns().stream()
        .filter(turn -> !turn.role().equals("assistant"))
        .flatMap(turn -> NOTIFICATION.matcher(turn.text()).results())
        .map(result -> result.group(1))
        .toList();
  }
}
