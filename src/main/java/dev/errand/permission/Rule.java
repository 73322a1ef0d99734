package dev.errand.permission;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A permission rule.
 *
 * @param permission the name of a tool or of a group of tools in any case, with {@code *} for any
 *     characters
 * @param pattern the subject of the call (a path, an agent, a command), with {@code *} for any
 *     characters
 */
public record Rule(
    @NotBlank(message = "is required")
        @Size(max = Rule.MAX_PERMISSION, message = "must have at most 100 characters")
        String permission,
    @NotNull(message = "is required")
        @Size(max = Rule.MAX_PATTERN, message = "must have at most 1000 characters")
        String pattern,
    @NotNull(message = "is required: allow or deny") Action action) {

  public static final int MAX_PERMISSION = 100;
  public static final int MAX_PATTERN = 1000;

  private static final String ANYWHERE = "**/";
  private static final String FOLDERS = "/**/";

  /** The places of a pattern that are varied; further ones deny more than they say. */
  private static final int MAX_VARIED = 4;

  /** The effect of a matching rule. */
  public enum Action {
    @JsonProperty("allow")
    ALLOW,
    /** Also used for a stored action that only a newer version knows. */
    @JsonEnumDefaultValue
    @JsonProperty("deny")
    DENY
  }

  public static Rule allow(String permission) {
    return new Rule(permission, "*", Action.ALLOW);
  }

  public static Rule deny(String permission) {
    return new Rule(permission, "*", Action.DENY);
  }

  boolean matches(String askedPermission, String subject) {
    return namesPermission(askedPermission) && new Wildcard(pattern).matches(subject);
  }

  /**
   * Returns whether the rule applies to a call on this path. A rule that denies also applies to
   * everything below the directories that it matches, and ignores case as some file systems do. For
   * it, {@code /secrets/} and {@code ./secrets} are {@code secrets}, and <code>**&#47;.env</code>
   * is also the file of that name at the top.
   */
  boolean matchesPath(String askedPermission, String path) {
    if (!namesPermission(askedPermission)) {
      return false;
    }
    if (action == Action.ALLOW || pattern.equals("*")) {
      return new Wildcard(pattern).matches(path);
    }
    var denied = deniedPaths();
    var lower = path.toLowerCase(Locale.ROOT);
    for (int end = lower.length(); end > 0; end = lower.lastIndexOf('/', end - 1)) {
      var part = lower.substring(0, end);
      if (denied.stream().anyMatch(wildcard -> wildcard.matches(part))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the pattern, and what it would mean in other products: it is safer to deny more. */
  private List<Wildcard> deniedPaths() {
    var lower = pattern.toLowerCase(Locale.ROOT);
    var plain = lower;
    while (plain.startsWith("/") || plain.startsWith("./")) {
      plain = plain.substring(plain.indexOf('/') + 1);
    }
    while (plain.endsWith("/")) {
      plain = plain.substring(0, plain.length() - 1);
    }
    var atTop = plain.startsWith(ANYWHERE) ? plain.substring(ANYWHERE.length()) : plain;
    return Stream.of(lower, plain, atTop.isEmpty() && !lower.isEmpty() ? "*" : atTop)
        .flatMap(path -> withoutFolders(path, MAX_VARIED))
        .distinct()
        .map(Wildcard::new)
        .toList();
  }

  /** Returns the path as it is, and with no directory where it has any number of them. */
  private static Stream<String> withoutFolders(String path, int varied) {
    var at = path.indexOf(FOLDERS);
    if (at < 0) {
      return Stream.of(path);
    }
    if (varied == 0) {
      return Stream.of(path.replace(FOLDERS, "/*"));
    }
    var start = path.substring(0, at);
    return withoutFolders(path.substring(at + FOLDERS.length() - 1), varied - 1)
        .flatMap(rest -> Stream.of(start + "/**" + rest, start + rest));
  }

  boolean namesPermission(String askedPermission) {
    return new Wildcard(permission.toLowerCase(Locale.ROOT))
        .matches(askedPermission.toLowerCase(Locale.ROOT));
  }
}
