package dev.errand.story;

import static dev.errand.kit.Http.given;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.errand.conversation.SessionId;
import dev.errand.kit.EndpointModels;
import dev.errand.kit.Story;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import dev.errand.kit.TaskKit;
import dev.errand.session.SessionState;
import dev.errand.task.TaskState;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What becomes of a session whose provider refuses its calls with 429. */
@QuarkusTest
class RefusalDbTest implements Story {

  private static final String QUOTA =
      "{\"error\":{\"message\":\"You exceeded your current quota, please check your plan and billing"
          + " details.\",\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}";

  private static final String RATE =
      "{\"error\":{\"message\":\"Rate limit reached\",\"type\":\"rate_limit_exceeded\","
          + "\"code\":\"rate_limit_exceeded\"}}";

  private static final String SENTENCE =
      "answered 429: You exceeded your current quota, please check your plan and billing details.";

  @Inject TaskKit kit;
  @Inject EndpointModels endpoints;

  private final AtomicInteger refused = new AtomicInteger();
  private volatile String refusal = QUOTA;

  /** The root delegates; its child is refused until there is no refusal. */
  private Answer answer(ModelCall call) {
    if (call.prompt().equals("Go.")) {
      return call.isFirst() ? Answer.calls(Answer.task("Do it.", false)) : Answer.says("noted");
    }
    if (refusal.isEmpty()) {
      return Answer.says("done");
    }
    refused.incrementAndGet();
    throw new ErrorStatus(429, refusal);
  }

  @Test
  void usedUpQuotaFailsASessionAtOnceWithTheSentenceOfTheProvider() {
    endpoints.answer(this::answer);
    var root = kit.session(Map.of("model", EndpointModels.OPENAI));

    kit.say(root, "Hello?");
    kit.awaitRest(root);

    assertThat(refused).hasValue(1);
    given()
        .get("/v1/sessions/{id}", root.toString())
        .then()
        .statusCode(200)
        .body("last_error.code", is("model_quota_exceeded"))
        .body("last_error.message", containsString(SENTENCE));
  }

  @Test
  void usedUpQuotaFailsATaskAtOnceWithTheSentenceOfTheProvider() {
    endpoints.answer(this::answer);
    var root = kit.session(Map.of("model", EndpointModels.OPENAI));

    kit.say(root, "Go.");
    kit.awaitRest(root);

    var task = kit.tasksOf(root).getFirst();
    var error = requireNonNull(task.outcome().orElseThrow().error());
    assertThat(task.state()).isEqualTo(TaskState.FAILED);
    assertThat(refused).hasValue(1);
    assertThat(error.code()).isEqualTo("model_quota_exceeded");
    assertThat(error.message()).contains(SENTENCE);
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("noted");
  }

  @Test
  void rateLimitIsWaitedFor() {
    refusal = RATE;
    endpoints.answer(this::answer);
    var root = kit.session(Map.of("model", EndpointModels.OPENAI));

    kit.say(root, "Hello?");
    await("the session waits").until(() -> isWaiting(root));
    refusal = "";
    kit.awaitRest(root);

    assertThat(refused).hasValueGreaterThan(0);
    assertThat(kit.transcript(root).getLast().text()).isEqualTo("done");
  }

  private boolean isWaiting(SessionId root) {
    return kit.look(root).state() == SessionState.WAITING;
  }
}
