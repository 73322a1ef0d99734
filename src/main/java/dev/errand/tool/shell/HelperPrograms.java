package dev.errand.tool.shell;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The programs that run outside of the sandbox, by absolute path. Each is looked up once: in the
 * directories of the system, then in those of the service's {@code PATH} that are absolute and
 * cannot be a workspace.
 */
public final class HelperPrograms {

  public static final String SYSTEM = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";

  private static final Pattern NAME = Pattern.compile("@([a-z]+)@");

  private final Predicate<Path> isWorkspace;
  private final String path;
  private final Map<String, String> found = new ConcurrentHashMap<>();

  /**
   * @param isWorkspace whether agents may work in a directory
   * @param path the {@code PATH} of the service
   */
  public HelperPrograms(Predicate<Path> isWorkspace, String path) {
    this.isWorkspace = isWorkspace;
    this.path = path;
  }

  /**
   * @param program a name, or a path, which is not looked up
   * @throws IOException there is no such program
   */
  public String find(String program) throws IOException {
    if (program.contains("/")) {
      return Path.of(program).toAbsolutePath().toString();
    }
    var known = found.get(program);
    if (known == null) {
      known = search(program).orElseThrow(() -> new IOException(program + " is not installed"));
      found.put(program, known);
    }
    return known;
  }

  /** Replaces each {@code @name@} in a script by the path of that program. */
  String in(String script) throws IOException {
    var text = new StringBuilder();
    var names = NAME.matcher(script);
    while (names.find()) {
      names.appendReplacement(text, Matcher.quoteReplacement("'" + find(names.group(1)) + "'"));
    }
    return names.appendTail(text).toString();
  }

  private Optional<String> search(String program) {
    return Stream.concat(
            directories(SYSTEM),
            directories(path).filter(Path::isAbsolute).filter(isWorkspace.negate()))
        .map(directory -> directory.resolve(program))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  private static Stream<Path> directories(String list) {
    return Stream.of(list.split(File.pathSeparator)).map(Path::of);
  }
}
