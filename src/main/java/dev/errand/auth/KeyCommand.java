package dev.errand.auth;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.auth.BearerSecret.SecretKind;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/**
 * The command {@code key} of the jar. {@code key generate} makes a text for {@code
 * ERRAND_ADMIN_KEY} and needs nothing; {@code key create} asks the running service for a key, as
 * its administrator.
 */
public final class KeyCommand {

  private static final String USAGE =
      """
      key generate                          prints a new key to be set as ERRAND_ADMIN_KEY
      key create --name NAME --role ROLE [--expires-at INSTANT]
                                            makes a key at the running service (ERRAND_URL, by default the
                                            one of this machine) with ERRAND_ADMIN_KEY, and prints it
      """;

  private static final Map<String, String> FIELDS =
      Map.of("--name", "name", "--role", "role", "--expires-at", "expires_at");
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int CREATED = 201;

  private final Config config;

  public KeyCommand(Config config) {
    this.config = config;
  }

  /**
   * The output of the command.
   *
   * @param succeeded otherwise the text says what is wrong
   */
  public record CommandOutput(boolean succeeded, String text) {}

  /** Runs the command with the arguments after {@code key}. */
  public CommandOutput run(List<String> arguments) {
    if (arguments.equals(List.of("generate"))) {
      return new CommandOutput(true, BearerSecret.next(SecretKind.KEY).text());
    }
    if (arguments.isEmpty() || !arguments.getFirst().equals("create")) {
      return new CommandOutput(false, USAGE);
    }
    var body = fields(arguments.subList(1, arguments.size()));
    var admin = setting("errand.admin-key");
    if (body.isEmpty()) {
      return new CommandOutput(false, USAGE);
    }
    return admin
        .map(key -> create(key, body.get()))
        .orElseGet(
            () -> new CommandOutput(false, "Set ERRAND_ADMIN_KEY to the key of an administrator."));
  }

  private static Optional<Map<String, String>> fields(List<String> options) {
    var fields = new LinkedHashMap<String, String>();
    for (var at = 0; at < options.size(); at += 2) {
      var name = FIELDS.get(options.get(at));
      if (name == null || at + 1 == options.size()) {
        return Optional.empty();
      }
      fields.put(name, options.get(at + 1));
    }
    return Optional.of(fields);
  }

  private CommandOutput create(String admin, Map<String, String> body) {
    var url =
        setting("errand.url")
            .orElseGet(() -> "http://127.0.0.1:" + setting("errand.port").orElse("8080"));
    var mapper = JsonMapper.builder().build();
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(url + "/v1/keys"))
              .header("Authorization", "Bearer " + admin)
              .header("Content-Type", "application/json")
              .timeout(LIMIT)
              .POST(BodyPublishers.ofString(mapper.writeValueAsString(body)))
              .build();
      var answer = http.send(request, BodyHandlers.ofString());
      return answer.statusCode() == CREATED
          ? new CommandOutput(true, mapper.readTree(answer.body()).path("key").asText())
          : new CommandOutput(false, answer.body());
    } catch (IOException | IllegalArgumentException fault) {
      return new CommandOutput(false, "The service at " + url + " does not answer: " + fault);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return new CommandOutput(false, "Interrupted.");
    }
  }

  private Optional<String> setting(String name) {
    return config.getOptionalValue(name, String.class).map(String::strip);
  }
}
