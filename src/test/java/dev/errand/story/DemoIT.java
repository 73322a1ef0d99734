package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Ports;
import dev.errand.kit.ServiceCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of {@code make demo}, and its film. */
class DemoIT {

  @TempDir Path home;

  @Test
  void demoKillsTheNodeAndTheResultArrives() throws Exception {
    var film = home.resolve("demo.svg");
    var libraries = ServiceCommand.jar().resolveSibling("lib/main") + "/*";
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var demo =
        new ProcessBuilder(java, "-cp", libraries, "demo/Demo.java").redirectErrorStream(true);
    var port = Integer.toString(Ports.free());
    demo.environment().put("PORT", port);
    demo.environment().put("ERRAND_HOME", home.resolve("errand").toString());
    demo.environment().put("FILM", film.toString());
    var process = demo.start();
    var printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    try {
      assertThat(process.waitFor()).as(printed).isZero();
      assertThat(printed)
          .containsSubsequence(
              "delegates to explore in the background",
              "demo     kill -9 of the node, process ",
              "demo     starts the node again",
              "its worker died; continues after its last saved turn",
              "attempt 1, taken over 1×",
              "resumed by the notice: task_",
              "--- answer ---",
              "Found ");
      assertThat(texts(film)).contains("kill -9 of the node", "the node is dead", "Found ");
    } finally {
      stop(home.resolve("errand/demo-" + port + ".pid"));
    }
  }

  /** The texts of the film, which must be XML to be shown. */
  private static String texts(Path film) throws Exception {
    var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    return builder.parse(film.toFile()).getDocumentElement().getTextContent();
  }

  /** Stops the service of the demo, which stops its database. */
  private static void stop(Path pidFile) throws IOException {
    var pid = Long.parseLong(Files.readString(pidFile));
    ProcessHandle.of(pid)
        .ifPresent(service -> {
          service.destroy();
          service.onExit().join();
        });
  }
}
