package dev.errand.deploy;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.ConfigMappings;
import io.smallrye.config.ConfigMappings.ConfigClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The environment variables that the service reads, from its sources and configuration classes. */
final class Settings {

  private static final Path SOURCES = Path.of("src/main/java");
  private static final Path DEFAULTS = Path.of("src/main/resources/application.properties");

  /** A property named in a source file, such as that of a {@code @ConfigProperty}. */
  private static final Pattern PROPERTY = Pattern.compile("\"((?:errand|quarkus)\\.[a-z0-9.-]+)\"");

  /** A property or variable that another property is set to. */
  private static final Pattern EXPRESSION = Pattern.compile("\\$\\{([\\w.-]+)");

  private Settings() {}

  /** Those of the variables that the service does not read. */
  static List<String> unknown(Collection<String> variables) throws Exception {
    var known = known();
    return variables.stream()
        .filter(variable -> known.stream().noneMatch(variable::matches))
        .toList();
  }

  /** Regular expressions, because a property can contain names that an operator chooses. */
  private static Set<String> known() throws Exception {
    var properties = new HashSet<String>();
    find(EXPRESSION, DEFAULTS, properties);
    try (var files = Files.walk(SOURCES)) {
      for (var file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        find(PROPERTY, file, properties);
        if (Files.readString(file).contains("@ConfigMapping(")) {
          properties.addAll(mapped(file));
        }
      }
    }
    var variables = new HashSet<String>();
    properties.forEach(property -> variables.add(variable(property)));
    return variables;
  }

  private static void find(Pattern pattern, Path file, Set<String> properties) throws IOException {
    pattern
        .matcher(Files.readString(file))
        .results()
        .forEach(found -> properties.add(found.group(1)));
  }

  private static Set<String> mapped(Path file) throws ClassNotFoundException {
    var name = SOURCES.relativize(file).toString().replace(".java", "").replace('/', '.');
    var properties = new HashSet<String>();
    mapped(Class.forName(name), properties);
    return properties;
  }

  private static void mapped(Class<?> type, Set<String> properties) {
    var mapping = type.getAnnotation(ConfigMapping.class);
    if (mapping != null) {
      var settings = ConfigClass.configClass(type, mapping.prefix());
      properties.addAll(ConfigMappings.getProperties(settings).keySet());
    }
    for (var nested : type.getDeclaredClasses()) {
      mapped(nested, properties);
    }
  }

  private static String variable(String property) {
    return property.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9*]", "_").replace("*", "\\w+");
  }
}
