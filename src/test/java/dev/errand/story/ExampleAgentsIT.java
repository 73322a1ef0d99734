package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.kit.NpmPackage;
import dev.errand.kit.OpenAiStub;
import dev.errand.kit.Program;
import dev.errand.kit.Service;
import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The short examples of the documentation: agents that host their own loop and are killed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExampleAgentsIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Path EXAMPLES = Path.of("docs/examples");

  private final Path home;
  private final StubEndpoint endpoint;
  private final Service service;
  private volatile CountDownLatch childWorks = new CountDownLatch(1);
  private volatile CountDownLatch found = new CountDownLatch(1);

  ExampleAgentsIT(@TempDir Path home) throws IOException {
    this.home = home;
    endpoint = StubEndpoint.start(new OpenAiStub(), this::answer);
    service = Service.start(home.resolve("errand"), endpoint.environment());
  }

  @BeforeEach
  void nothingIsFound() throws IOException {
    childWorks = new CountDownLatch(1);
    found = new CountDownLatch(1);
    Files.deleteIfExists(conversation());
  }

  @AfterEach
  void end() {
    found.countDown();
  }

  @AfterAll
  void stop() throws Exception {
    service.close();
    endpoint.close();
  }

  @Test
  void agentInPythonContinuesAfterItAndTheServiceWereKilled() throws Exception {
    continuesAfterKills("python3", EXAMPLES.resolve("external_agent.py").toString());
  }

  @Test
  void agentInTypeScriptContinuesAfterItAndTheServiceWereKilled() throws Exception {
    var node = NpmPackage.NODE.file("bin/node").toString();
    continuesAfterKills(node, EXAMPLES.resolve("external-agent.ts").toString());
  }

  private void continuesAfterKills(String interpreter, String program) throws Exception {
    var first = start(interpreter, program);
    assertThat(childWorks.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).as(printed()).isTrue();
    await().atMost(TIMEOUT).until(() -> roles().size() == 4);
    first.destroyForcibly().waitFor();
    service.kill();

    var second = start(interpreter, program);
    service.startAgain();
    found.countDown();

    assertThat(second.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).as(printed()).isTrue();
    assertThat(printed()).endsWith("The gold is in the mountains.\n");
    assertThat(second.exitValue()).isZero();
    assertThat(endpoint.errors()).isEmpty();
    assertThat(roles())
        .containsExactly("user", "assistant", "tool", "assistant", "user", "assistant");
    var session = session();
    assertThat(SessionProbe.roles(service, session)).containsExactly("user/notice");
    assertThat(SessionProbe.tasks(service, session)).hasSize(1);
  }

  private Process start(String... program) {
    var command = new ArrayList<>(List.of(program));
    command.addAll(List.of(conversation().toString(), "Where is the gold?"));
    var builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.to(output().toFile()));
    builder.environment().putAll(endpoint.environment());
    builder.environment().put("ERRAND_URL", service.uri("").toString());
    return Program.start(builder);
  }

  /** The file in which the agent keeps its conversation. */
  private Path conversation() {
    return home.resolve("agent.jsonl");
  }

  private Path output() {
    return home.resolve("output.txt");
  }

  private String printed() throws IOException {
    return Files.readString(output(), StandardCharsets.UTF_8);
  }

  private String session() throws IOException {
    return JSON.readTree(Files.readAllLines(conversation()).getFirst()).asText();
  }

  /** The roles of the messages in the file of the agent. */
  private List<String> roles() throws IOException {
    var roles = new ArrayList<String>();
    var lines = Files.readAllLines(conversation());
    for (var line : lines.subList(1, lines.size())) {
      roles.add(JSON.readTree(line).get("role").asText());
    }
    return roles;
  }

  private Answer answer(ModelCall call) throws InterruptedException {
    if (call.prompt().equals("Dig.")) {
      childWorks.countDown();
      found.await();
      return Answer.says("Gold is in the mountains.");
    }
    if (call.isFirst()) {
      return Answer.calls(Answer.task("Dig.", true));
    }
    var isTold = call.last().role().equals("user") && call.last().text().contains("mountains");
    return Answer.says(isTold ? "The gold is in the mountains." : "Somebody is digging.");
  }
}
