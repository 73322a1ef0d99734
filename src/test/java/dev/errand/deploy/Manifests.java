package dev.errand.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.kit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The manifests in {@code k8s}. */
public final class Manifests {

  private static final Path FOLDER = Path.of("k8s");
  private static final Map<String, List<Manifest>> RENDERED = new ConcurrentHashMap<>();

  private Manifests() {}

  /** The objects in the files, without patches and kustomizations. */
  static List<Manifest> written() throws IOException {
    var manifests = new ArrayList<Manifest>();
    try (var files = Files.walk(FOLDER)) {
      for (var file : files.filter(Manifests::isManifest).sorted().toList()) {
        manifests.addAll(Manifest.read(file));
      }
    }
    return manifests;
  }

  private static boolean isManifest(Path file) {
    var name = file.getFileName().toString();
    return name.endsWith(".yaml")
        && !name.equals("kustomization.yaml")
        && !name.endsWith("-patch.yaml");
  }

  /** The objects that an overlay renders, rendered once; needs kubectl. */
  static List<Manifest> rendered(String overlay) throws IOException {
    var rendered = RENDERED.get(overlay);
    if (rendered == null) {
      rendered = built(FOLDER.resolve("overlays").resolve(overlay));
      RENDERED.put(overlay, rendered);
    }
    return rendered;
  }

  static List<Manifest> built(Path folder) throws IOException {
    var built = Program.run(Path.of("."), "kubectl", "kustomize", folder.toString());
    assertThat(built.exitCode()).as(built.output()).isZero();
    return Manifest.parse(folder.toString(), built.output());
  }

  static JsonNode one(List<Manifest> manifests, String kind, String name) {
    return manifests.stream()
        .filter(manifest -> manifest.kind().equals(kind) && manifest.name().startsWith(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " " + name))
        .body();
  }

  /** The pod specification of the base deployment. */
  public static JsonNode pod() throws IOException {
    return one(written(), "Deployment", "errand").at("/spec/template/spec");
  }

  /** The only container of the pod. */
  static JsonNode container() throws IOException {
    return pod().at("/containers/0");
  }
}
