package dev.errand.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Which statements read a whole large table. The plans are those that the server executed. */
final class Plans {

  private static final int LARGE = 10_000;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final BenchDatabase database;
  private final Report report;

  Plans(BenchDatabase database, Report report) {
    this.database = database;
    this.report = report;
  }

  /** What is done while the plans are logged. */
  interface Load {
    void run() throws IOException, InterruptedException;
  }

  void measure(Load load) throws IOException, InterruptedException {
    database.explain(true);
    load.run();
    database.explain(false);
    var plans = plans(database.log());
    var large =
        database
            .database()
            .withHandle(handle ->
                handle
                    .createQuery(
                        "select relname from pg_class where relkind = 'r' and reltuples > :large")
                    .bind("large", LARGE)
                    .mapTo(String.class)
                    .set());
    var file = Path.of(System.getProperty("bench.plans", "target/plans.txt"));
    Files.write(file, plans.entrySet().stream().map(Plans::line).toList());
    var whole =
        plans.entrySet().stream()
            .filter(plan ->
                plan.getValue().stream()
                    .anyMatch(step ->
                        step.startsWith("Seq Scan on ")
                            && large.contains(step.substring("Seq Scan on ".length()))))
            .toList();
    whole.forEach(plan -> System.out.println("  " + line(plan)));
    report.add("statements whose plans were looked at", plans.size());
    report.add("statements that read a whole large table", whole.size());
    System.out.println("  plans: " + file);
  }

  private static String line(Map.Entry<String, TreeSet<String>> plan) {
    return String.join(", ", plan.getValue()) + ": " + plan.getKey();
  }

  /** The steps that read tables, for each statement. */
  private static Map<String, TreeSet<String>> plans(List<String> log)
      throws JsonProcessingException {
    var plans = new TreeMap<String, TreeSet<String>>();
    for (int line = 0; line < log.size(); line++) {
      if (log.get(line).endsWith("plan:")) {
        var plan =
            JSON.readTree(
                log.stream()
                    .skip(line + 1L)
                    .takeWhile(next -> next.startsWith("\t"))
                    .collect(Collectors.joining()));
        var text = plan.path("Query Text").asText().replaceAll("\\s+", " ");
        collect(plan.path("Plan"), plans.computeIfAbsent(text, _ -> new TreeSet<>()));
      }
    }
    return plans;
  }

  private static void collect(JsonNode step, TreeSet<String> steps) {
    if (step.has("Relation Name")) {
      var index = step.has("Index Name") ? " by " + step.path("Index Name").asText() : "";
      var table = step.path("Relation Name").asText();
      steps.add("%s on %s%s".formatted(step.path("Node Type").asText(), table, index));
    }
    step.path("Plans").forEach(below -> collect(below, steps));
  }
}
