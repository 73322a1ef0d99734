package dev.errand.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The dashboards in {@code deploy/grafana}. */
final class Dashboards {

  private static final Path FOLDER = Path.of("deploy/grafana/dashboards");
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private Dashboards() {}

  /** One query of one panel. */
  record Query(String dashboard, String panel, String expression) {

    /** Returns the query as Grafana sends it with everything selected. */
    String selected() {
      return Dashboards.selected(expression, "5m");
    }
  }

  /**
   * Replaces the variables of an expression, with everything selected.
   *
   * @param interval the interval of rates
   */
  static String selected(String expression, String interval) {
    return expression
        .replace("$__rate_interval", interval)
        .replace("$agent", ".*")
        .replace("$instance", ".*")
        .replace("$provider", ".*");
  }

  static List<JsonNode> all() throws IOException {
    try (var files = Files.list(FOLDER)) {
      var dashboards = new ArrayList<JsonNode>();
      for (var file : files.sorted().toList()) {
        dashboards.add(JSON.readTree(file.toFile()));
      }
      return dashboards;
    }
  }

  static List<Query> queries() throws IOException {
    var queries = new ArrayList<Query>();
    for (var dashboard : all()) {
      for (var panel : dashboard.get("panels")) {
        for (var target : panel.get("targets")) {
          queries.add(
              new Query(
                  dashboard.get("title").asText(),
                  panel.get("title").asText(),
                  target.get("expr").asText()));
        }
      }
    }
    return queries;
  }
}
