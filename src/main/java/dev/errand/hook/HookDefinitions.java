package dev.errand.hook;

import dev.errand.egress.EgressPolicy;
import dev.errand.egress.UrlVerdict;
import dev.errand.outbox.WebhookSecret;
import dev.errand.tool.file.WorkspaceRoots;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * Reads the hooks of the configuration. Each message names the key and says what would be right.
 */
final class HookDefinitions {

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

  private static final Pattern PROPERTY =
      Pattern.compile("errand\\.hooks\\.(?:\"([^\"]*)\"|([^.]*))\\.([^\\[]+)(?:\\[\\d+])?");

  private static final Set<String> KEYS =
      Set.of("url", "command", "events", "tools", "timeout", "on-error", "secret");

  private final EgressPolicy egress;
  private final WorkspaceRoots roots;

  HookDefinitions(EgressPolicy egress, WorkspaceRoots roots) {
    this.egress = egress;
    this.roots = roots;
  }

  /**
   * @throws IllegalArgumentException a definition is not valid
   */
  List<Hook> read(HookConfig config) {
    return config.hooks().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> new Reading(entry.getKey(), entry.getValue()).read())
        .toList();
  }

  /**
   * Names that come from environment variables are not judged: it cannot be seen where a name of a
   * hook ends in them.
   *
   * @param properties the names of all properties
   * @throws IllegalArgumentException one of them is a key of a hook that does not exist
   */
  static void refuseUnknown(Iterable<String> properties, Set<String> environment) {
    StreamSupport.stream(properties.spliterator(), false)
        .filter(property -> {
          var parts = PROPERTY.matcher(property);
          return parts.matches() && !KEYS.contains(parts.group(3));
        })
        .filter(property -> !environment.contains(variable(property)))
        .findFirst()
        .ifPresent(property -> {
          throw new IllegalArgumentException(
              "%s is no property of a hook; known are %s."
                  .formatted(property, String.join(", ", KEYS.stream().sorted().toList())));
        });
  }

  /** Returns the environment variable of a property. */
  private static String variable(String property) {
    return property.replaceAll("[^a-zA-Z0-9]", "_").toUpperCase(Locale.ROOT);
  }

  private final class Reading {

    private final String name;
    private final HookConfig.HookSettings given;

    Reading(String name, HookConfig.HookSettings given) {
      this.name = name;
      this.given = given;
    }

    Hook read() {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "The name of the hook errand.hooks.%s must have 1 to 32 of a-z, 0-9 and -."
                .formatted(name));
      }
      if (given.url().isPresent() == given.command().isPresent()) {
        throw new IllegalArgumentException(
            "The hook '%s' needs either errand.hooks.%s.url or errand.hooks.%s.command, and not both."
                .formatted(name, name, name));
      }
      var events = events();
      var tools = list("tools", given.tools());
      if (!tools.isEmpty() && events.stream().noneMatch(HookEvent::isOfTool)) {
        throw wrong("tools", "has no effect without tool.before or tool.after in events");
      }
      return new Hook(
          name,
          null,
          target(),
          events,
          tools,
          given.timeout(),
          given.onError() == HookConfig.OnError.ALLOW);
    }

    private EnumSet<HookEvent> events() {
      var events = EnumSet.noneOf(HookEvent.class);
      for (var word : list("events", given.events())) {
        events.add(
            HookEvent.of(word)
                .orElseThrow(() ->
                    wrong("events", "has no event '%s'; known are %s", word, HookEvent.words())));
      }
      if (events.isEmpty()) {
        throw wrong("events", "must name at least one of %s", HookEvent.words());
      }
      return events;
    }

    private HookTarget target() {
      return given.url().<HookTarget>map(this::endpoint).orElseGet(this::program);
    }

    private HookTarget.UrlTarget endpoint(String url) {
      var secret =
          given
              .secret()
              .map(text ->
                  WebhookSecret.parse(text)
                      .orElseThrow(
                          () -> wrong("secret", "must be whsec_ and the Base64 of 24 to 64 bytes")))
              .orElse(null);
      return switch (egress.shape(url.strip())) {
        case UrlVerdict.Allowed allowed -> new HookTarget.UrlTarget(allowed.url(), secret);
        case UrlVerdict.Malformed malformed -> throw wrong("url", "%s", malformed.reason());
        case UrlVerdict.Refused refused -> throw wrong("url", "%s", refused.reason());
      };
    }

    private HookTarget.ProgramTarget program() {
      if (given.secret().isPresent()) {
        throw wrong("secret", "is only for hooks with a url");
      }
      var words = list("command", given.command());
      if (words.isEmpty()) {
        throw wrong("command", "must name a program");
      }
      roots
          .changeable(words)
          .ifPresent(problem -> {
            throw wrong("command", "%s", problem);
          });
      return new HookTarget.ProgramTarget(words);
    }

    private List<String> list(String key, Optional<List<String>> values) {
      var list = new ArrayList<String>();
      values.orElse(List.of()).stream().map(String::strip).forEach(list::add);
      if (list.stream().anyMatch(String::isEmpty)) {
        throw wrong(key, "contains an empty entry");
      }
      return list;
    }

    private IllegalArgumentException wrong(String key, String problem, Object... about) {
      return new IllegalArgumentException(
          "errand.hooks.%s.%s %s.".formatted(name, key, problem.formatted(about)));
    }
  }
}
