package dev.errand.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.errand.kit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrometheusRulesTest {

  private static final Path FOLDER = Path.of("deploy/prometheus");

  @Test
  void rulesAreValid() {
    var checked =
        Program.run(
            FOLDER, "promtool", "check", "rules", "rules/alerts.yaml", "rules/recording.yaml");
    assertThat(checked.exitCode()).as(checked.output()).isZero();
  }

  @Test
  void configurationIsValid() {
    var checked = Program.run(FOLDER, "promtool", "check", "config", "prometheus.yml");
    assertThat(checked.exitCode()).as(checked.output()).isZero();
  }

  @Test
  void rulesPassTheirTests() {
    var tested = Program.run(FOLDER, "promtool", "test", "rules", "rules_test.yaml");
    assertThat(tested.exitCode()).as(tested.output()).isZero();
  }

  @Test
  void everyAlertIsTested() throws IOException {
    var tests = Files.readString(FOLDER.resolve("rules_test.yaml"));
    assertThat(alerts())
        .allSatisfy(
            alert -> assertThat(tests).contains("alertname: " + alert.get("alert").asText()));
  }

  @Test
  void everyAlertHasARunbook() throws IOException {
    var runbooks = Pages.runbooks();
    assertThat(alerts())
        .allSatisfy(alert -> {
          var page = alert.at("/annotations/runbook_url").asText();
          assertThat(page).startsWith("docs/operations/runbooks.md#");
          assertThat(runbooks).contains(page.replaceFirst(".*#", ""));
          assertThat(alert.at("/labels/severity").asText()).isIn("critical", "warning");
        });
  }

  private static List<JsonNode> alerts() throws IOException {
    var alerts = new ArrayList<JsonNode>();
    var file = new YAMLMapper().readTree(FOLDER.resolve("rules/alerts.yaml").toFile());
    file.get("groups").forEach(group -> group.get("rules").forEach(alerts::add));
    return alerts;
  }
}
