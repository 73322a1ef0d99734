package dev.errand.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Checks for mistakes that Grafana does not report. */
class DashboardsTest {

  private static final int COLUMNS = 24;

  @Test
  void fourDashboardsExistAndLinkToEachOther() throws IOException {
    assertThat(Dashboards.all())
        .extracting(dashboard -> dashboard.get("uid").asText())
        .containsExactlyInAnyOrder(
            "errand-tasks", "errand-delivery", "errand-nodes", "errand-models");
    assertThat(Dashboards.all())
        .allSatisfy(dashboard -> {
          assertThat(dashboard.get("tags").toString()).contains("errand");
          assertThat(dashboard.get("links").toString()).contains("\"tags\":[\"errand\"]");
        });
  }

  @Test
  void everyPanelHasADescriptionAUnitAndTheSelectedDataSource() throws IOException {
    for (var dashboard : Dashboards.all()) {
      for (var panel : dashboard.get("panels")) {
        assertThat(panel.get("description").asText()).as(name(panel)).isNotBlank();
        assertThat(panel.at("/datasource/uid").asText()).isEqualTo("${datasource}");
        assertThat(panel.get("targets")).as(name(panel)).isNotEmpty();
        if (!panel.get("type").asText().equals("table")) {
          assertThat(panel.at("/fieldConfig/defaults/unit").asText()).as(name(panel)).isNotBlank();
        }
      }
    }
  }

  @Test
  void panelsDoNotOverlap() throws IOException {
    for (var dashboard : Dashboards.all()) {
      var occupied = new HashSet<Integer>();
      for (var panel : dashboard.get("panels")) {
        var position = panel.get("gridPos");
        for (int y = 0; y < position.get("h").asInt(); y++) {
          for (int x = 0; x < position.get("w").asInt(); x++) {
            var column = position.get("x").asInt() + x;
            assertThat(column).as(name(panel)).isLessThan(COLUMNS);
            assertThat(occupied.add((position.get("y").asInt() + y) * COLUMNS + column))
                .as(name(panel) + " overlaps no other panel")
                .isTrue();
          }
        }
      }
    }
  }

  /** Grafana sends an undeclared variable unchanged. */
  @Test
  void everyVariableOfAQueryIsDeclared() throws IOException {
    for (var dashboard : Dashboards.all()) {
      var declared =
          StreamSupport.stream(dashboard.at("/templating/list").spliterator(), false)
              .map(variable -> "$" + variable.get("name").asText())
              .toList();
      for (var panel : dashboard.get("panels")) {
        for (var target : panel.get("targets")) {
          var rest = target.get("expr").asText().replace("$__rate_interval", "");
          for (var variable : declared) {
            rest = rest.replace(variable, "");
          }
          assertThat(rest).as(name(panel)).doesNotContain("$");
        }
      }
    }
  }

  private static String name(JsonNode panel) {
    return panel.get("title").asText();
  }
}
