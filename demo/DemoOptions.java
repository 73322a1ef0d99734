package demo;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What the demo is to do.
 *
 * @param folder an existing directory, absolute
 * @param limit how long the answer may take
 * @param home the directory in which the service keeps its data
 * @param film the file for the film of the run, if one is wanted
 */
record DemoOptions(
    Path folder, String prompt, int port, Duration limit, Path home, Optional<Path> film) {

  /** The prompts are in pieces, because otherwise the search finds these lines first. */
  private static final String PROMPT =
      "How does the out|box re|lay deli|ver a no|tice to the par|ent?".replace("|", "");

  private static final String PROMPT_ELSEWHERE = "Where does it hand|le err|ors?".replace("|", "");
  private static final long LIMIT_SECONDS = 600;

  /**
   * Reads {@code DIR} (default: here), {@code PROMPT}, {@code PORT} (default 8080), {@code LIMIT}
   * in seconds (default 600), {@code ERRAND_HOME} and {@code FILM} (default: none); an empty
   * variable counts as absent.
   *
   * @throws DemoFailure one of them is invalid
   */
  static DemoOptions fromEnvironment(Map<String, String> environment) {
    var dir = environment.getOrDefault("DIR", "");
    var prompt = environment.getOrDefault("PROMPT", "");
    var home = environment.getOrDefault("ERRAND_HOME", "");
    var usual = dir.isBlank() ? PROMPT : PROMPT_ELSEWHERE;
    return new DemoOptions(
        folder(dir),
        prompt.isBlank() ? usual : prompt,
        (int) number(environment, "PORT", 8080, 65_535),
        Duration.ofSeconds(number(environment, "LIMIT", LIMIT_SECONDS, 86_400)),
        Path.of(home.isBlank() ? ".errand" : home),
        Optional.of(environment.getOrDefault("FILM", ""))
            .filter(film -> !film.isBlank())
            .map(Path::of));
  }

  private static Path folder(String dir) {
    try {
      var folder = Path.of(dir).toAbsolutePath().normalize();
      if (Files.isDirectory(folder)) {
        return folder;
      }
    } catch (InvalidPathException notAPath) {
      throw new DemoFailure("DIR=" + dir + " is not a path.");
    }
    throw new DemoFailure("DIR=" + dir + ": there is no such directory.");
  }

  private static long number(Map<String, String> environment, String name, long usual, long most) {
    var text = environment.getOrDefault(name, "").strip();
    if (text.isEmpty()) {
      return usual;
    }
    if (!text.matches("\\d{1,9}") || Long.parseLong(text) < 1 || Long.parseLong(text) > most) {
      throw new DemoFailure(name + "=" + text + " is not a number from 1 to " + most + ".");
    }
    return Long.parseLong(text);
  }
}
