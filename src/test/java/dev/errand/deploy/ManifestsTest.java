package dev.errand.deploy;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks for mistakes that a cluster rejects, or accepts but misinterprets. */
class ManifestsTest {

  /** A stop takes at most this long after SIGTERM (docs/operations/upgrade-and-stop.md). */
  private static final int LONGEST_STOP_SECONDS = 40;

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

  @Test
  void probesUseTheirOwnPathsAndLivenessDoesNotDependOnPostgres() throws IOException {
    var container = Manifests.container();
    assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/q/health/live");
    assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/q/health/ready");
    assertThat(container.at("/startupProbe/httpGet/path").asText()).isEqualTo("/q/health/started");
  }

  @Test
  void terminationGracePeriodIsLongerThanADrain() throws IOException {
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

  @Test
  void productionHasThreeReplicasAndAllSelectorsMatchThem() throws IOException {
    var prod = Manifests.rendered("prod");
    var deployment = Manifests.one(prod, "Deployment", "errand");
    assertThat(deployment.at("/spec/replicas").asInt()).isEqualTo(3);
    var labels = deployment.at("/spec/template/metadata/labels");

    var disruption = Manifests.one(prod, "PodDisruptionBudget", "errand");
    var service = Manifests.one(prod, "Service", "errand");
    var monitor = Manifests.one(prod, "ServiceMonitor", "errand");
    var network = Manifests.one(prod, "NetworkPolicy", "errand");
    assertThat(deployment.at("/spec/selector/matchLabels")).isEqualTo(labels);
    assertThat(disruption.at("/spec/selector/matchLabels")).isEqualTo(labels);
    assertThat(service.at("/spec/selector")).isEqualTo(labels);
    assertThat(monitor.at("/spec/selector/matchLabels")).isEqualTo(service.at("/metadata/labels"));
    assertThat(network.at("/spec/podSelector/matchLabels")).isEqualTo(labels);
    assertThat(
            Manifests.one(prod, "HorizontalPodAutoscaler", "errand")
                .at("/spec/minReplicas")
                .asInt())
        .isEqualTo(3);
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
  }
}
