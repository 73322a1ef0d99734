package dev.errand.kit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What another local user can do. The commands run as {@code nobody} when the tests run as root;
 * else as the user of the tests, who may read the files but has no password either.
 */
public final class OtherUser {

  private static final int NOBODY = 65534;

  private OtherUser() {}

  /** Whether commands run as another user. */
  public static boolean canBe() {
    return "root".equals(System.getProperty("user.name"));
  }

  /** Gives a path to the other user. */
  public static Path own(Path path) throws IOException {
    return Files.setAttribute(path, "unix:uid", NOBODY);
  }

  /** Whether a command that reads a file fails; true when commands run as the user of the tests. */
  public static boolean cannot(String... command) throws IOException, InterruptedException {
    return !canBe() || start(command).waitFor() != 0;
  }

  /**
   * Connects to PostgreSQL without a password.
   *
   * @return its first answer: {@code password}, {@code refused}, or the bytes of any other one
   */
  public static String connect(int port, String user) throws IOException {
    var fields = "user\\0" + user + "\\0database\\0postgres\\0\\0";
    var length = 8 + fields.replace("\\0", "0").length();
    var message = "\\x00\\x00\\x00\\x%02x\\x00\\x03\\x00\\x00%s".formatted(length, fields);
    var shell =
        "exec 3<>/dev/tcp/127.0.0.1/%d && printf '%s' >&3 && head -c 9 <&3 | od -An -tx1"
            .formatted(port, message);
    var process = start("bash", "-c", shell);
    var answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    var bytes = answer.strip();
    if (bytes.matches("52 .* 00 00 00 0a")) {
      return "password";
    }
    return bytes.startsWith("45") ? "refused" : bytes;
  }

  private static Process start(String... command) throws IOException {
    var all = new ArrayList<String>();
    if (canBe()) {
      var nobody = Integer.toString(NOBODY);
      all.addAll(List.of("setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups"));
    }
    all.addAll(List.of(command));
    return new ProcessBuilder(all)
        .directory(Path.of("/").toFile())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
