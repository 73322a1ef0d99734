import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import tools.jackson.databind.json.JsonMapper;

/** Calls the Chat Completions API. */
final class Model {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI completions;

  Model(String url) {
    completions = URI.create(url + "/v1/chat/completions");
  }

  /** What the model said, and the tokens of the call. */
  record Answer(String text, int tokens) {}

  Answer ask(String prompt) throws IOException, InterruptedException {
    var body = JSON.createObjectNode().put("model", "bench");
    body.putArray("messages").addObject().put("role", "user").put("content", prompt);
    var request =
        HttpRequest.newBuilder(completions).POST(BodyPublishers.ofString(body.toString())).build();
    var answer = JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
    return new Answer(
        answer.at("/choices/0/message/content").asString(),
        answer.at("/usage/total_tokens").asInt());
  }
}
