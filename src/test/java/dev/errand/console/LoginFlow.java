package dev.errand.console;

import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The model of an agent that repairs the login of a shop with five subagents. It comes to a scene
 * that stays: one subagent has been taken over and is done, one is done, one waits for its own
 * subagent, one runs the tests, and one has failed.
 */
final class LoginFlow {

  static final String REQUEST =
      """
      Fix the login flow: `login()` returns null for unknown users, and a session survives a \
      change of the password. Add tests, and keep the API as it is.\
      """;

  private static final String PLAN = "Plan the change of the login flow, in small steps.";
  private static final String USAGES = "Find every usage of login() and what it does with null.";
  private static final String TESTS = "Write tests for the login flow.";
  private static final String REPAIR = "Repair login() for unknown users, then run the tests.";
  private static final String REVIEW = "Review how the session cookie is set and ended.";
  private static final String BRANCHES = "List the branches of SessionStore without a test.";

  private final AtomicInteger plans = new AtomicInteger();
  private final CountDownLatch planning = new CountDownLatch(1);
  private final CountDownLatch never = new CountDownLatch(1);

  /** Waits until the subagent that plans is in the middle of its work. */
  void awaitPlanning() throws InterruptedException {
    planning.await();
  }

  Answer answer(ModelCall call) throws InterruptedException {
    return switch (call.prompt()) {
      case PLAN -> plan(call);
      case USAGES -> usages(turn(call));
      case TESTS -> tests(turn(call));
      case REPAIR -> repair(turn(call));
      case REVIEW -> review(turn(call));
      case BRANCHES -> branches(turn(call));
      default -> call.prompt().equals(REQUEST) ? root(call) : other(call);
    };
  }

  /** The number of answers that the conversation has. */
  private static int turn(ModelCall call) {
    return (int) call.turns().stream().filter(turn -> turn.role().equals("assistant")).count();
  }

  private static Answer root(ModelCall call) throws InterruptedException {
    return switch (turn(call)) {
      case 0 ->
          says(
              900,
              "Sessions and `login()` share one store, so I want a plan before anything changes.",
              delegates("plan", "plan the change", PLAN));
      case 1 -> says(500, "The plan is being made. I continue when it arrives.");
      case 2 ->
          says(
              1_100,
              """
              The plan has three steps. Four subagents work on them:

              1. **find usages** of `login()`, so that no caller is forgotten
              2. **repair** `login()`, and **write tests** for it
              3. **review** the session cookie\
              """,
              delegates("explore", "find usages of login()", USAGES),
              delegates("general", "write tests for the login flow", TESTS),
              delegates("general", "repair login() for unknown users", REPAIR),
              delegates("reviewer", "review the session cookie", REVIEW));
      case 3 -> says(400, "All four have started.");
      default -> said(call);
    };
  }

  private static Answer said(ModelCall call) throws InterruptedException {
    return call.last().text().contains("review the session cookie")
        ? says(500, "The review gave no readable answer. I review the cookie myself, at the end.")
        : says(
            700,
            "Three callers of `login()` ignore null: `CheckoutPage`, `ApiFilter` and `RememberMe`.");
  }

  /** The first process that asks for the end of the plan gets no answer. */
  private Answer plan(ModelCall call) throws InterruptedException {
    if (turn(call) == 0) {
      return says(
          700,
          "I look at how login works today.",
          grep("login\\("),
          read("src/main/java/shop/login/LoginService.java"));
    }
    if (plans.getAndIncrement() == 0) {
      planning.countDown();
      never.await();
    }
    return says(
        900,
        """
        1. `login()` throws `UnknownUser` instead of returning null.
        2. `SessionStore.endAll(user)` is called when a password changes.
        3. Tests for both, and a review of the cookie.\
        """);
  }

  private static Answer usages(int turn) throws InterruptedException {
    return switch (turn) {
      case 0 -> says(600, "", grep("login\\("), grep("SessionStore"));
      case 1 ->
          says(
              500,
              "Five files call it. I read those that do not look safe.",
              read("src/main/java/shop/page/CheckoutPage.java"),
              read("src/main/java/shop/api/ApiFilter.java"),
              read("src/main/java/shop/login/RememberMe.java"));
      default ->
          says(
              700,
              """
              `login()` is called in 5 places. `CheckoutPage:14`, `ApiFilter:11` and `RememberMe:12` \
              use the result without a check; `LoginPage` and `AdminPage` check for null.\
              """);
    };
  }

  private static Answer tests(int turn) throws InterruptedException {
    return turn == 0
        ? says(800, "", read("src/main/java/shop/login/SessionStore.java"))
        : says(
            900,
            "Before I write them I want to know what is not covered.",
            Answer.call(
                "task",
                Map.of(
                    "description",
                    "list untested branches",
                    "prompt",
                    BRANCHES,
                    "subagent_type",
                    "explore")));
  }

  private Answer branches(int turn) throws InterruptedException {
    return switch (turn) {
      case 0 -> says(700, "", grep("if \\("), read("src/main/java/shop/login/SessionStore.java"));
      case 1 -> says(600, "", grep("@Test"));
      default -> hangs();
    };
  }

  private static Answer repair(int turn) throws InterruptedException {
    return switch (turn) {
      case 0 ->
          says(
              700,
              "I read the method and who calls it.",
              grep("login\\("),
              read("src/main/java/shop/login/LoginService.java"));
      case 1 ->
          says(
              800,
              "An unknown user is an exception, as the plan says. The message does not tell whether the name or the password is wrong.",
              Answer.call(
                  "edit",
                  Map.of(
                      "file_path", "src/main/java/shop/login/LoginService.java",
                      "old_string", Shop.BEFORE,
                      "new_string", Shop.AFTER)));
      default ->
          says(
              500,
              "Now the tests.",
              Answer.call("bash", Map.of("command", "./gradlew test", "timeout_ms", 600_000)));
    };
  }

  private static Answer review(int turn) throws InterruptedException {
    if (turn == 0) {
      return says(
          600,
          "I start with the place that sets the cookie.",
          read("src/main/java/shop/login/SessionCookie.java"));
    }
    TimeUnit.MILLISECONDS.sleep(300);
    throw new ErrorStatus(200, "upstream connect error");
  }

  private Answer other(ModelCall call) throws InterruptedException {
    return switch (call.prompt()) {
      case Shop.REFUSED ->
          throw new ErrorStatus(
              400,
              "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"The account has no access to this model.\"}}");
      default -> says(600, "Done. The notes are in `docs/release.md`.");
    };
  }

  private Answer hangs() throws InterruptedException {
    never.await();
    return Answer.says("");
  }

  private static Answer says(int ms, String text, Call... calls) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(ms);
    return new Answer(text, List.of(calls));
  }

  private static Call delegates(String agent, String description, String prompt) {
    return Answer.call(
        "task",
        Map.of(
            "description",
            description,
            "prompt",
            prompt,
            "subagent_type",
            agent,
            "background",
            true));
  }

  private static Call grep(String pattern) {
    return Answer.call("grep", Map.of("pattern", pattern, "path", "src"));
  }

  private static Call read(String path) {
    return Answer.call("read", Map.of("file_path", path));
  }
}
