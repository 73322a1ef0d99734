package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A child works on a small project with real tools: it searches, reads, runs the tests in the
 * sandbox, fixes the bug, runs the tests again and reports; its parent continues with the report.
 */
class CodingIT {

  private static final String QUESTION = "Fix the discounts.";
  private static final String PROMPT = "Find out why the discount is wrong, and fix it.";
  private static final String RUN_TESTS = "$JAVA_HOME/bin/java DiscountTest.java";

  private static final String CODE =
      """
      class Discount {
        static int after(int cents, int percent) {
          return cents - cents * percent / 10;
        }
      }
      """;

  private static final String TEST =
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

  @Test
  void childFixesASmallProjectAndItsParentReportsIt(@TempDir Path home, @TempDir Path workspace)
      throws Exception {
    Files.writeString(workspace.resolve("Discount.java"), CODE);
    Files.writeString(workspace.resolve("DiscountTest.java"), TEST);

    try (var endpoint = StubEndpoint.start(new OpenAiStub(), CodingIT::answer);
        var service = Service.start(home, environment(endpoint))) {
      var session =
          service
              .post("/v1/sessions", Map.of("workspace", workspace.toString()), 201)
              .get("id")
              .asText();
      service.post("/v1/sessions/" + session + "/messages", Map.of("text", QUESTION), 202);
      SessionProbe.awaitRest(service, session);

      assertThat(endpoint.errors()).isEmpty();
      assertThat(results(endpoint))
          .satisfiesExactly(
              found -> assertThat(found).contains("Discount.java"),
              read -> assertThat(read).contains("percent / 10"),
              failed ->
                  assertThat(failed).contains("FAILED: 20 % off 1000 gave -1000", "exit code 1"),
              edited -> assertThat(edited).contains("Discount.java"),
              passed -> assertThat(passed).contains("all tests passed"));
      assertThat(workspace.resolve("Discount.java")).content().contains("percent / 100");
      assertThat(SessionProbe.roles(service, session)).containsOnlyOnce("user/notice");
      assertThat(SessionProbe.lastText(service, session)).isEqualTo("Fixed: the tests pass.");
    }
  }

  private static Map<String, String> environment(StubEndpoint endpoint) {
    var environment = new HashMap<>(endpoint.environment());
    environment.put("ERRAND_TOOLS_BASH", "enabled");
    return environment;
  }

  /** The tool results of the child, oldest first. */
  private static List<String> results(StubEndpoint endpoint) {
    return endpoint.calls().stream()
        .filter(call -> call.prompt().equals(PROMPT))
        .toList()
        .getLast()
        .turns()
        .stream()
        .filter(turn -> !turn.answers().isEmpty())
        .map(turn -> turn.text())
        .toList();
  }

  private static Answer answer(ModelCall call) {
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
