package dev.errand.console;

import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The model of an agent that asks three subagents and answers with what they found. */
final class RescueFlow {

  static final String REQUEST =
      "Which callers of login() break when it throws instead of returning null?";

  private static final String USAGES = "Find every caller of login().";
  private static final String STORE = "Read how SessionStore opens and ends sessions.";
  private static final String PAGES = "Check what each page does when a login fails.";

  private RescueFlow() {}

  static Answer answer(ModelCall call) throws InterruptedException {
    var turn = call.turns().stream().filter(one -> one.role().equals("assistant")).count();
    return switch (call.prompt()) {
      case USAGES -> usages((int) turn);
      case STORE -> store((int) turn);
      case PAGES -> pages((int) turn);
      default -> root((int) turn);
    };
  }

  private static Answer root(int turn) throws InterruptedException {
    return turn == 0
        ? says(
            900,
            "Three subagents look at the parts.",
            delegates("find callers of login()", USAGES),
            delegates("read the session store", STORE),
            delegates("check pages after a failed login", PAGES))
        : says(
            900,
            """
            Three callers break: `CheckoutPage:9`, `ApiFilter:9` and `RememberMe:9` use the \
            session without a check. `LoginPage` shows its form again, and `SessionStore` is not \
            affected.\
            """);
  }

  private static Answer usages(int turn) throws InterruptedException {
    return turn < 2
        ? says(800, "", grep(turn == 0 ? "login\\(" : "LoginService"))
        : says(700, "`login()` has four callers.");
  }

  private static Answer store(int turn) throws InterruptedException {
    return turn < 5
        ? says(1_100, "", turn % 2 == 0 ? read("login/SessionStore") : grep("sessions\\."))
        : says(900, "`SessionStore` never sees an unknown user.");
  }

  private static Answer pages(int turn) throws InterruptedException {
    return switch (turn) {
      case 0 -> says(1_200, "", grep("Page show"));
      case 1 -> says(1_200, "", read("page/LoginPage"));
      case 2 -> says(1_300, "", read("page/CheckoutPage"));
      case 3 -> says(1_300, "", read("api/ApiFilter"));
      default -> says(1_000, "Three of four use the session without a check.");
    };
  }

  private static Answer says(int ms, String text, Call... calls) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(ms);
    return new Answer(text, List.of(calls));
  }

  private static Call delegates(String description, String prompt) {
    return Answer.call(
        "task", Map.of("description", description, "prompt", prompt, "subagent_type", "explore"));
  }

  private static Call grep(String pattern) {
    return Answer.call("grep", Map.of("pattern", pattern, "path", "src"));
  }

  private static Call read(String file) {
    return Answer.call("read", Map.of("file_path", "src/main/java/shop/" + file + ".java"));
  }
}
