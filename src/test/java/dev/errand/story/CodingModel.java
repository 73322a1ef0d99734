package dev.errand.story;

import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.util.List;
import java.util.Map;

/** A small project with a bug, and what the models answer that are to fix it. */
final class CodingModel {

  static final String QUESTION = "Fix the discounts.";
  static final String PROMPT = "Find out why the discount is wrong, and fix it.";
  private static final String RUN_TESTS = "$JAVA_HOME/bin/java DiscountTest.java";

  static final String CODE =
      """
      class Discount {
        static int after(int cents, int percent) {
          return cents - cents * percent / 10;
        }
      }
      """;

  static final String TEST =
      """
      class DiscountTest {
        public static void main(String... arguments) {
          if (Discount.after(1000, 20) != 800) {
            System.out.println("FAILED: 20 % off 1000 gave " + Discount.after(1000, 20));
            System.exit(1);
          }
          System.out.println("all tests passed");
        }
      }
      """;

  private CodingModel() {}

  static Answer answer(ModelCall call) {
    return call.prompt().equals(QUESTION) ? primary(call) : child(call);
  }

  private static Answer primary(ModelCall call) {
    if (call.isFirst()) {
      return Answer.calls(Answer.task(PROMPT, true));
    }
    var reported = call.notices().stream().anyMatch(notice -> notice.text().contains("now passes"));
    return Answer.says(reported ? "Fixed: the tests pass." : "I delegated the work.");
  }

  private static Answer child(ModelCall call) {
    var done = call.turns().stream().filter(turn -> turn.role().equals("assistant")).count();
    var steps =
        List.<Call>of(
            Answer.call("grep", Map.of("pattern", "percent", "output_mode", "files_with_matches")),
            Answer.call("read", Map.of("file_path", "Discount.java")),
            Answer.call("bash", Map.of("command", RUN_TESTS)),
            Answer.call(
                "edit",
                Map.of(
                    "file_path", "Discount.java",
                    "old_string", "percent / 10;",
                    "new_string", "percent / 100;")),
            Answer.call("bash", Map.of("command", RUN_TESTS)));
    return done < steps.size()
        ? Answer.calls(steps.get((int) done))
        : Answer.says("Discount.java:3 divided by 10 instead of 100; its test now passes.");
  }
}
