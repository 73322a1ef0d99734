package dev.errand.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** What Grafana would not say, but show badly. */
class DashboardsTest {

  private static final int COLUMNS = 24;

  @Test
  void dashboardsAreTheFourAndLinkToEachOther() throws IOException {
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
  void everyPanelSaysWhatItShowsInWhichUnitFromTheChosenSource() throws IOException {
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
  void panelsLieBesideEachOther() throws IOException {
    for (var dashboard : Dashboards.all()) {
      var taken = new HashSet<Integer>();
      for (var panel : dashboard.get("panels")) {
        var place = panel.get("gridPos");
        for (int y = 0; y < place.get("h").asInt(); y++) {
          for (int x = 0; x < place.get("w").asInt(); x++) {
            var column = place.get("x").asInt() + x;
            assertThat(column).as(name(panel)).isLessThan(COLUMNS);
            assertThat(taken.add((place.get("y").asInt() + y) * COLUMNS + column))
                .as(name(panel) + " covers another")
                .isTrue();
          }
        }
      }
    }
  }

  /** A variable that is not declared is sent as it stands. */
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
