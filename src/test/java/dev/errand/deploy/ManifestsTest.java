package dev.errand.deploy;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks for mistakes that a cluster rejects, or accepts but misinterprets. */
class ManifestsTest {

  /**
   * A stop takes at most this long after SIGTERM while the database answers: streams, requests (the
   * delay, then the time-out), runs, JobRunr, hooks, MCP servers, sweeps
   * (docs/operations/upgrade-and-stop.md).
   */
  private static final int LONGEST_STOP_SECONDS = 2 + 5 + 10 + 20 + 10 + 4 + 5 + 5;

  @Test
  void everyFileIsValid() throws Exception {
    assertThat(Manifests.written()).hasSizeGreaterThan(12);
    check(Manifests.written());
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void everyOverlayIsValid(String overlay) throws Exception {
    check(Manifests.rendered(overlay));
  }

  private static void check(List<Manifest> manifests) throws ReflectiveOperationException {
    for (var manifest : manifests) {
      if (!manifest.isCustom()) {
        assertThat(manifest.problems()).as(manifest.source()).isEmpty();
      }
    }
  }

  /** Tests the check itself. */
  @Test
  void misspelledFieldAndWrongTypeAreFound() throws Exception {
    var good = Files.readString(Path.of("k8s/base/deployment.yaml"));
    assertThat(problems(good.replace("failureThreshold", "failureTreshold")))
        .singleElement(as(InstanceOfAssertFactories.STRING))
        .contains("failureTreshold");
    assertThat(problems(good.replace("periodSeconds: 10", "periodSeconds: soon"))).hasSize(1);

    var config = Files.readString(Path.of("k8s/base/configmap.yaml"));
    assertThat(problems(config.replace("\"8080\"", "8080"))).hasSize(1);
  }

  private static List<String> problems(String yaml) throws Exception {
    return Manifest.parse("changed", yaml).getFirst().problems();
  }

  @ParameterizedTest
  @ValueSource(strings = {"k8s", "deploy"})
  void everyYamlFileCanBeRead(String folder) throws IOException {
    try (var files = Files.walk(Path.of(folder))) {
      for (var file : files.filter(path -> path.toString().endsWith(".yaml")).toList()) {
        assertThat(Manifest.read(file)).as(file.toString()).isNotEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void everyEnvironmentVariableOfAnOverlayIsASetting(String overlay) throws Exception {
    var rendered = Manifests.rendered(overlay);
    var names = new ArrayList<String>();
    Manifests.one(rendered, "ConfigMap", "errand")
        .get("data")
        .fieldNames()
        .forEachRemaining(names::add);
    Manifests.one(rendered, "Deployment", "errand")
        .findValues("env")
        .forEach(entries -> entries.forEach(entry -> names.add(entry.get("name").asText())));

    assertThat(names).contains("ERRAND_MANAGEMENT_PORT");
    assertThat(Settings.unknown(names)).isEmpty();
  }

  @Test
  void everyEnvironmentVariableOfComposeAndOfTheImageIsASetting() throws Exception {
    var compose = Manifest.read(Path.of("deploy/compose.yaml")).getFirst().body();
    var names = new ArrayList<String>();
    compose.at("/services/errand/environment").fieldNames().forEachRemaining(names::add);
    Pattern.compile("(ERRAND_[A-Z_]+)=")
        .matcher(Files.readString(Path.of("deploy/Dockerfile")))
        .results()
        .forEach(found -> names.add(found.group(1)));

    assertThat(names).contains("ERRAND_DB_URL", "ERRAND_SKILLS_DIR");
    assertThat(Settings.unknown(names)).isEmpty();
  }

  @Test
  void misspelledSettingIsFound() throws Exception {
    assertThat(Settings.unknown(List.of("ERRAND_MODLE", "ERRAND_MODEL")))
        .containsExactly("ERRAND_MODLE");
  }

  /** Only development starts with the rule-based model; elsewhere an operator chooses. */
  @Test
  void productionHasNoModelOfItsOwn() throws IOException {
    assertThat(
            Manifests.one(Manifests.rendered("prod"), "ConfigMap", "errand")
                .at("/data/ERRAND_MODEL")
                .asText())
        .isEmpty();
    assertThat(
            Manifests.one(Manifests.rendered("dev"), "ConfigMap", "errand")
                .at("/data/ERRAND_MODEL")
                .asText())
        .isEqualTo("offline:planner");
  }

  /** A tag can be moved to other content, a digest cannot. */
  @Test
  void imagesOfOthersAreNamedByDigest() throws IOException {
    var images = new ArrayList<String>();
    for (var manifest : Manifests.rendered("dev")) {
      images.addAll(manifest.body().findValuesAsText("image"));
    }
    images.addAll(
        Manifest.read(Path.of("deploy/compose.yaml")).getFirst().body().findValuesAsText("image"));
    Pattern.compile("(?:FROM|<quarkus.jib.base-jvm-image>) ?([^ \\n<]*[:/][^ \\n<]*)")
        .matcher(
            Files.readString(Path.of("deploy/Dockerfile")) + Files.readString(Path.of("pom.xml")))
        .results()
        .forEach(found -> images.add(found.group(1)));

    assertThat(images)
        .filteredOn(image -> !image.matches("errand(:latest)?"))
        .hasSize(7)
        .allSatisfy(
            image -> assertThat(image).matches("[a-z/-]+:[\\w.-]*\\d[\\w.-]*@sha256:[0-9a-f]{64}"));
  }

  /** What the service calls by default, by address and port. */
  @Test
  void egressAllowsWhatTheServiceCalls() throws IOException {
    var egress =
        Manifests.one(Manifests.rendered("prod"), "NetworkPolicy", "errand").at("/spec/egress");
    assertThat(ports(egress, "kubernetes.io/metadata.name")).containsExactly("53", "53");
    assertThat(ports(egress, "0.0.0.0/0")).containsExactly("80", "443");
    assertThat(ports(egress, "errand.dev/models")).contains("11434");
    assertThat(ports(egress, "errand.dev/telemetry")).containsExactly("4317", "4318");
    assertThat(ports(egress, "errand.dev/server")).as("any port").isEmpty();
    assertThat(egress.get(1).toString()).contains("5432").doesNotContain("\"to\"");
  }

  private static List<String> ports(JsonNode rules, String peer) {
    return StreamSupport.stream(rules.spliterator(), false)
        .filter(rule -> rule.path("to").toString().contains(peer))
        .flatMap(rule -> rule.path("ports").findValuesAsText("port").stream())
        .toList();
  }

  /** Who may scrape may not call the API, and the reverse. */
  @Test
  void ingressSeparatesTheApiFromMetrics() throws IOException {
    var ingress =
        Manifests.one(Manifests.rendered("prod"), "NetworkPolicy", "errand").at("/spec/ingress");
    assertThat(ingress).hasSize(2);
    assertThat(ingress.get(0).toString())
        .contains("errand.dev/client", "\"http\"")
        .doesNotContain("management");
    assertThat(ingress.get(1).toString())
        .contains("errand.dev/monitoring", "\"management\"")
        .doesNotContain("\"http\"");
  }

  @Test
  void probesUseTheirOwnPathsAndLivenessDoesNotDependOnPostgres() throws IOException {
    var container = Manifests.container();
    var ports = container.get("ports").findValuesAsText("name");
    for (var probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      assertThat(ports).contains(container.at("/" + probe + "/httpGet/port").asText());
    }
    assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/q/health/live");
    assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/q/health/ready");
    assertThat(container.at("/startupProbe/httpGet/path").asText()).isEqualTo("/q/health/started");
  }

  @Test
  void terminationGracePeriodIsLongerThanAStop() throws IOException {
    var pod = Manifests.pod();
    var preStop = pod.at("/containers/0/lifecycle/preStop/sleep/seconds").asInt();
    assertThat(pod.get("terminationGracePeriodSeconds").asInt())
        .isGreaterThan(preStop + LONGEST_STOP_SECONDS);
  }

  @Test
  void everySettingIsDocumented() throws IOException {
    var page =
        Files.readString(Path.of("docs/configuration.md"))
            .toUpperCase(Locale.ROOT)
            .replaceAll("[.-]", "_");
    Manifests.one(Manifests.written(), "ConfigMap", "errand")
        .get("data")
        .fieldNames()
        .forEachRemaining(name -> assertThat(page.contains("`" + name + "`")).as(name).isTrue());
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void podsRunWithRestrictedPrivileges(String overlay) throws IOException {
    var pod =
        Manifests.one(Manifests.rendered(overlay), "Deployment", "errand")
            .at("/spec/template/spec");
    assertThat(pod.get("automountServiceAccountToken").asBoolean()).isFalse();
    assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    var container = pod.at("/containers/0/securityContext");
    assertThat(container.get("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(container.get("allowPrivilegeEscalation").asBoolean()).isFalse();
    assertThat(container.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
  }

  /** A number of replicas in the deployment undoes what the autoscaler did, with each apply. */
  @Test
  void onlyAutoscalerSetsTheNumberOfReplicasOfProduction() throws IOException {
    var prod = Manifests.rendered("prod");
    assertThat(Manifests.one(prod, "Deployment", "errand").at("/spec/replicas").isMissingNode())
        .isTrue();
    assertThat(
            Manifests.one(prod, "HorizontalPodAutoscaler", "errand")
                .at("/spec/minReplicas")
                .asInt())
        .isEqualTo(3);
  }

  @Test
  void allSelectorsMatchTheReplicasOfProduction() throws IOException {
    var prod = Manifests.rendered("prod");
    var deployment = Manifests.one(prod, "Deployment", "errand");
    var labels = deployment.at("/spec/template/metadata/labels");

    var disruption = Manifests.one(prod, "PodDisruptionBudget", "errand");
    var service = Manifests.one(prod, "Service", "errand");
    var monitor = Manifests.one(prod, "PodMonitor", "errand");
    var network = Manifests.one(prod, "NetworkPolicy", "errand");
    assertThat(deployment.at("/spec/selector/matchLabels")).isEqualTo(labels);
    assertThat(disruption.at("/spec/selector/matchLabels")).isEqualTo(labels);
    assertThat(service.at("/spec/selector")).isEqualTo(labels);
    assertThat(monitor.at("/spec/selector/matchLabels")).isEqualTo(labels);
    assertThat(deployment.findValuesAsText("containerPort")).contains("9000");
    assertThat(monitor.at("/spec/podMetricsEndpoints/0/port").asText()).isEqualTo("management");
    assertThat(network.at("/spec/podSelector/matchLabels")).isEqualTo(labels);
  }

  /** What others apply has authentication; only the overlay for development does without. */
  @Test
  void everyOverlayExceptDevelopmentUsesKeysFromASecret() throws IOException {
    var overlays = new ArrayList<String>();
    try (var folders = Files.list(Path.of("k8s/overlays"))) {
      folders.forEach(folder -> overlays.add(folder.getFileName().toString()));
    }
    assertThat(overlays).contains("dev", "prod");
    for (var overlay : overlays) {
      var rendered = Manifests.rendered(overlay);
      var auth = Manifests.one(rendered, "ConfigMap", "errand").at("/data/ERRAND_AUTH").asText();
      var environment =
          Manifests.one(rendered, "Deployment", "errand")
              .at("/spec/template/spec/containers/0/env");
      if (overlay.equals("dev")) {
        assertThat(auth).isEqualTo("none");
        assertThat(environment).isEmpty();
      } else {
        assertThat(auth).as(overlay).isEqualTo("keys");
        assertThat(environment.findValuesAsText("name"))
            .contains("ERRAND_ADMIN_KEY", "ERRAND_SECRETS_KEY");
        assertThat(environment)
            .allSatisfy(entry -> {
              assertThat(entry.at("/valueFrom/secretKeyRef/key")).isEqualTo(entry.get("name"));
              assertThat(entry.at("/valueFrom/secretKeyRef/optional").asBoolean()).isFalse();
            });
      }
    }
    var monitor = Manifests.one(Manifests.rendered("prod"), "PodMonitor", "errand");
    assertThat(monitor.at("/spec/podMetricsEndpoints/0/authorization/credentials/name").asText())
        .isEqualTo("errand-metrics");
  }

  /** Migrations run before the service has started. */
  @Test
  void startMayTakeTenMinutes() throws IOException {
    var probe = Manifests.container().get("startupProbe");
    assertThat(probe.get("periodSeconds").asInt() * probe.get("failureThreshold").asInt())
        .isEqualTo(600);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void podsHaveTheSettingsTheDatabaseAndOptionallyModels(String overlay) throws IOException {
    var sources =
        Manifests.one(Manifests.rendered(overlay), "Deployment", "errand")
            .at("/spec/template/spec/containers/0/envFrom");
    assertThat(sources.findValuesAsText("name"))
        .containsExactly("errand", "errand-database", "errand-models");
    assertThat(sources.get(1).at("/secretRef/optional").asBoolean()).isFalse();
    assertThat(sources.get(2).at("/secretRef/optional").asBoolean()).isTrue();
  }

  @Test
  void productionContainsNoSecrets() throws IOException {
    assertThat(Manifests.rendered("prod")).extracting(Manifest::kind).doesNotContain("Secret");
    assertThat(
            Manifests.one(Manifests.rendered("prod"), "Deployment", "errand")
                .at("/spec/template/spec/containers/0/envFrom")
                .toString())
        .contains("{\"secretRef\":{\"name\":\"errand-database\"}}");
  }

  @Test
  void kedaReplacesTheHorizontalPodAutoscaler(@TempDir Path folder) throws Exception {
    var k8s = Path.of("k8s").toAbsolutePath();
    var base = folder.toRealPath().relativize(k8s.toRealPath());
    Files.writeString(
        folder.resolve("kustomization.yaml"),
        """
        apiVersion: kustomize.config.k8s.io/v1beta1
        kind: Kustomization
        resources: [%s/overlays/prod]
        components: [%s/components/keda]
        """
            .formatted(base, base));
    var built = Manifests.built(folder);
    check(built);
    assertThat(built)
        .extracting(Manifest::kind)
        .contains("ScaledObject")
        .doesNotContain("HorizontalPodAutoscaler");
    var query =
        Manifests.one(built, "ScaledObject", "errand")
            .at("/spec/triggers/0/metadata/query")
            .asText();
    assertThat(Files.readString(Path.of("deploy/prometheus/rules_test.yaml")))
        .as("the query that is tested")
        .contains("'" + query + "'");
  }
}
