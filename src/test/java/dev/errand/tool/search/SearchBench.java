package dev.errand.tool.search;

import com.sun.management.OperatingSystemMXBean;
import dev.errand.tool.file.WorkspaceKit;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/**
 * Measures searches over a source tree of 50,000 files in 2,000 folders. Run by hand, with the test
 * class path:
 *
 * <pre>{@code java -cp <test class path> dev.errand.tool.search.SearchBench [rounds [folder]]}
 * </pre>
 */
public final class SearchBench {

  private static final int FOLDERS = 2_000;
  private static final int FILES_EACH = 25;
  private static final int WARM_UP = 5;

  private final WorkspaceKit kit;
  private final int rounds;

  private SearchBench(WorkspaceKit kit, int rounds) {
    this.kit = kit;
    this.rounds = rounds;
  }

  public static void main(String... arguments) throws IOException {
    var rounds = arguments.length == 0 ? 20 : Integer.parseInt(arguments[0]);
    var root =
        arguments.length < 2 ? Files.createTempDirectory("errand-search") : Path.of(arguments[1]);
    var kit = new WorkspaceKit(root);
    if (arguments.length < 2) {
      System.out.printf("%d bytes in %s%n", makeTree(kit), root);
    }
    new SearchBench(kit, rounds).run();
  }

  /** Some 2 kB a file, of repeated words, as in source code. */
  private static long makeTree(WorkspaceKit kit) {
    var random = new Random(1);
    var bytes = 0L;
    kit.file(".gitignore", "/build/\n*.class\nnode_modules/\n*.log\n!keep.log\n.idea\n");
    for (int folder = 0; folder < FOLDERS; folder++) {
      for (int file = 0; file < FILES_EACH; file++) {
        var path =
            "module%d/src/main/java/org/example/part%d/Service%d.java"
                .formatted(folder / 100, folder % 100, file);
        var text = source(random, folder, file);
        kit.file(path, text);
        bytes += text.length();
      }
    }
    return bytes;
  }

  private static String source(Random random, int folder, int file) {
    var text = new StringBuilder("package org.example.part" + folder % 100 + ";\n\n");
    text.append("public class Service").append(file).append(" {\n");
    for (int line = 0; line < 40; line++) {
      text.append("  private final String field").append(random.nextInt(10_000));
      text.append(" = compute(\"value ").append(random.nextInt(1_000)).append("\");\n");
    }
    return text.append("}\n").toString();
  }

  private void run() {
    measure("glob **/*.java", "glob", "pattern", "**/*.java");
    measure("glob *Service7*", "glob", "pattern", "*Service7*");
    measure("grep plain text, found nowhere", "grep", "pattern", "needleInNoFile");
    measure("grep plain text, in some", "grep", "pattern", "field4711 ");
    measure("grep common text, files", "grep", "pattern", "class");
    measure(
        "grep common text, lines", "grep", "pattern", "private final", "output_mode", "content");
    measure("grep a|b, found nowhere", "grep", "pattern", "noSuchThing|norThis");
    measure("grep with regex around text", "grep", "pattern", "new\\s+Needle\\w+\\(");
    measure("grep ignoring case", "grep", "pattern", "needleinnofile", "case_insensitive", true);
    measure("grep without a literal", "grep", "pattern", "\\d{5}");
  }

  private void measure(String what, String tool, Object... arguments) {
    var nanos = new long[rounds];
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    var cpuBefore = 0L;
    for (int round = -WARM_UP; round < rounds; round++) {
      cpuBefore = round == 0 ? system.getProcessCpuTime() : cpuBefore;
      var startedAt = System.nanoTime();
      var done = kit.call(tool, arguments);
      if (done.isError()) {
        throw new IllegalStateException(done.text());
      }
      if (round >= 0) {
        nanos[round] = System.nanoTime() - startedAt;
      }
    }
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "%-32s p50 %4d ms, max %4d ms, processors busy for %4d ms%n",
        what,
        nanos[rounds / 2] / 1_000_000,
        nanos[rounds - 1] / 1_000_000,
        (system.getProcessCpuTime() - cpuBefore) / rounds / 1_000_000);
  }
}
