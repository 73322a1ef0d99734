package dev.errand.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One Kubernetes object, as written in YAML. */
record Manifest(String source, JsonNode body) {

  private static final YAMLMapper YAML = new YAMLMapper(new YAMLFactory());

  private static final Gson GSON =
      new GsonBuilder().registerTypeAdapter(OffsetDateTime.class, new NoTime()).create();

  /** Kinds that an operator defines and that Kubernetes itself does not know. */
  private static final Map<String, String> CUSTOM =
      Map.of(
          "PodMonitor", "monitoring.coreos.com/v1",
          "ScaledObject", "keda.sh/v1alpha1");

  static List<Manifest> read(Path file) throws IOException {
    return parse(file.toString(), Files.readString(file));
  }

  static List<Manifest> parse(String source, String yaml) throws IOException {
    var manifests = new ArrayList<Manifest>();
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(yaml)) {
      documents.forEachRemaining(body -> manifests.add(new Manifest(source, body)));
    }
    return manifests;
  }

  String kind() {
    return body.get("kind").asText();
  }

  String name() {
    return body.at("/metadata/name").asText();
  }

  boolean isCustom() {
    return body.get("apiVersion").asText().equals(CUSTOM.get(kind()));
  }

  /**
   * Converts the object to the Kubernetes type and back: an unknown field, or a value of a wrong
   * type, is lost or changed.
   *
   * @return the problems, empty if there are none
   */
  List<String> problems() throws ReflectiveOperationException {
    var written = JsonParser.parseString(body.toString());
    var problems = new ArrayList<String>();
    try {
      type().getMethod("validateJsonElement", JsonElement.class).invoke(null, written);
      compare(kind(), written, GSON.toJsonTree(GSON.fromJson(written, type())), problems);
    } catch (InvocationTargetException exception) {
      problems.add(source + ": " + exception.getCause());
    } catch (JsonParseException | NumberFormatException wrongType) {
      problems.add(source + ": " + wrongType.getMessage());
    }
    return problems;
  }

  /** The types add empty lists and similar; nothing that was written may be missing or changed. */
  private static void compare(
      String path, JsonElement written, @Nullable JsonElement read, List<String> problems) {
    if (written instanceof JsonObject fields && read instanceof JsonObject others) {
      fields
          .asMap()
          .forEach((name, value) -> compare(path + "." + name, value, others.get(name), problems));
    } else if (written instanceof JsonArray items
        && read instanceof JsonArray others
        && items.size() == others.size()) {
      for (int index = 0; index < items.size(); index++) {
        compare(path + "[" + index + "]", items.get(index), others.get(index), problems);
      }
    } else if (!written.equals(read)) {
      problems.add(path + " is " + written + ", but is read as " + read);
    }
  }

  private Class<?> type() throws ClassNotFoundException {
    var version = body.get("apiVersion").asText().replaceFirst(".*/", "");
    var prefix = version.substring(0, 1).toUpperCase(Locale.ROOT) + version.substring(1);
    return Class.forName("io.kubernetes.client.openapi.models." + prefix + kind());
  }

  /** Manifests contain no times, but the types do, and Gson must not use reflection on them. */
  private static final class NoTime extends TypeAdapter<OffsetDateTime> {

    @Override
    public void write(JsonWriter out, OffsetDateTime time) throws IOException {
      out.nullValue();
    }

    @Override
    public OffsetDateTime read(JsonReader in) {
      throw new JsonParseException("a time is not expected");
    }
  }
}
