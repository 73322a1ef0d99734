package dev.errand.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.inject.Singleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The page and the files that it loads. They are read and compressed when the console is first
 * opened, and have a path that changes with their content, so that browsers keep them.
 */
@Singleton
class ConsoleFiles {

  /** The files of the console itself. */
  static final List<String> OWN =
      List.of(
          "actions.js",
          "api.js",
          "app.js",
          "cards.js",
          "format.js",
          "grid.js",
          "home.js",
          "icon.svg",
          "login.js",
          "steps.js",
          "style.css",
          "transcript.js",
          "tree.js",
          "vars.js",
          "words.js",
          "workspace.js");

  /** The files of libraries that the console imports, directly or not. */
  private static final List<String> LIBRARIES =
      List.of(
          "lit/3.3.3/directive.js",
          "lit/3.3.3/directives/repeat.js",
          "lit/3.3.3/index.js",
          "lit-element/4.2.2/lit-element.js",
          "lit-html/3.3.3/directive-helpers.js",
          "lit-html/3.3.3/directive.js",
          "lit-html/3.3.3/directives/repeat.js",
          "lit-html/3.3.3/is-server.js",
          "lit-html/3.3.3/lit-html.js",
          "marked/17.0.5/lib/marked.esm.js",
          "reactive-element/2.1.2/css-tag.js",
          "reactive-element/2.1.2/reactive-element.js");

  /** Where the names of modules in imports lead. */
  private static final Map<String, String> MODULES =
      new TreeMap<>(
          Map.of(
              "lit", "lit/3.3.3/index.js",
              "lit/", "lit/3.3.3/",
              "lit-html", "lit-html/3.3.3/lit-html.js",
              "lit-html/", "lit-html/3.3.3/",
              "lit-element/", "lit-element/4.2.2/",
              "@lit/reactive-element", "reactive-element/2.1.2/reactive-element.js",
              "@lit/reactive-element/", "reactive-element/2.1.2/",
              "marked", "marked/17.0.5/lib/marked.esm.js"));

  private final String root;
  private volatile Optional<Content> content = Optional.empty();

  ConsoleFiles(@ConfigProperty(name = "quarkus.http.root-path") String root) {
    this.root = root.endsWith("/") ? root.substring(0, root.length() - 1) : root;
  }

  /** A file as it is sent. */
  record File(String type, byte[] compressed) {}

  /**
   * Everything that is served.
   *
   * @param page the HTML of every page
   * @param policy its Content-Security-Policy
   * @param version the part of the path that changes with the content
   */
  record Content(String page, String policy, String version, Map<String, File> files) {}

  /** Reads the files once. */
  Content content() {
    return content.orElseGet(this::read);
  }

  private synchronized Content read() {
    if (content.isEmpty()) {
      var files = new TreeMap<String, byte[]>();
      OWN.forEach(name -> files.put(name, resource("/console/" + name)));
      LIBRARIES.forEach(name -> files.put(name, resource("/META-INF/resources/_static/" + name)));
      content = Optional.of(content(files));
    }
    return content.orElseThrow();
  }

  private Content content(Map<String, byte[]> files) {
    var digest = sha256();
    files.forEach((name, bytes) -> {
      digest.update(name.getBytes(UTF_8));
      digest.update(bytes);
    });
    var version = HexFormat.of().formatHex(digest.digest()).substring(0, 16);
    var assets = root + "/console/assets/" + version;
    var imports =
        MODULES.entrySet().stream()
            .map(module -> "\"%s\":\"%s/%s\"".formatted(module.getKey(), assets, module.getValue()))
            .collect(Collectors.joining(",", "{\"imports\":{", "}}"));
    var page =
        new String(resource("/console/index.html"), UTF_8)
            .replace("{base}", root)
            .replace("{assets}", assets)
            .replace("{imports}", imports)
            .replace("{preloads}", preloads(assets, files.keySet()));
    return new Content(page, policy(imports), version, compressed(files));
  }

  /** All modules are asked for at once, not each when another one imports it. */
  private static String preloads(String assets, Set<String> names) {
    return names.stream()
        .filter(name -> name.endsWith(".js"))
        .map(name -> "<link rel=\"modulepreload\" href=\"%s/%s\">".formatted(assets, name))
        .collect(Collectors.joining("\n"));
  }

  /** Nothing but the files above may be loaded, and no text may become HTML. */
  private static String policy(String inline) {
    var hash = Base64.getEncoder().encodeToString(sha256().digest(inline.getBytes(UTF_8)));
    return String.join(
        "; ",
        "default-src 'none'",
        "script-src 'self' 'sha256-" + hash + "'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types lit-html");
  }

  private static Map<String, File> compressed(Map<String, byte[]> files) {
    return files.entrySet().stream()
        .collect(
            Collectors.toUnmodifiableMap(
                Map.Entry::getKey, file -> new File(type(file.getKey()), gzip(file.getValue()))));
  }

  private static String type(String name) {
    return Stream.of(
            Map.entry(".js", "text/javascript"),
            Map.entry(".css", "text/css"),
            Map.entry(".svg", "image/svg+xml"))
        .filter(type -> name.endsWith(type.getKey()))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  private static byte[] gzip(byte[] bytes) {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return out.toByteArray();
  }

  private static byte[] resource(String path) {
    try (var in = Objects.requireNonNull(ConsoleFiles.class.getResourceAsStream(path), path)) {
      return in.readAllBytes();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }
}
