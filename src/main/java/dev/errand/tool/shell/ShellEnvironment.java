package dev.errand.tool.shell;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The environment of a command. It contains only allowed variables, because the environment of the
 * service contains keys and passwords.
 */
public final class ShellEnvironment {

  private static final Set<String> ALLOWED = Set.of("PATH", "LANG", "LANGUAGE", "TZ", "JAVA_HOME");
  private static final String LOCALE = "LC_";

  private static final Map<String, String> DEFAULTS =
      Map.of(
          "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
          "LANG", "C.UTF-8");

  private ShellEnvironment() {}

  /**
   * @param service the environment of the service
   * @param more names to inherit in addition to the usual ones
   */
  public static Map<String, String> of(Map<String, String> service, List<String> more) {
    var environment = new HashMap<>(DEFAULTS);
    service.forEach((name, value) -> {
      if (ALLOWED.contains(name) || name.startsWith(LOCALE) || more.contains(name)) {
        environment.put(name, value);
      }
    });
    environment.put("TERM", "dumb");
    return environment;
  }
}
