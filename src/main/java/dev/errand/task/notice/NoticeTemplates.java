package dev.errand.task.notice;

import dev.errand.task.Task;
import io.quarkus.qute.Engine;
import io.quarkus.qute.IfSectionHelper;
import io.quarkus.qute.Template;
import io.quarkus.qute.TemplateException;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The templates of notices: the built-in ones, or an operator's files with the same names. All are
 * parsed and tried when the service starts; one that cannot be used fails the start. Templates know
 * fields and {@code {#if}}, nothing else: no value is evaluated.
 */
@Singleton
class NoticeTemplates {

  private final Engine engine =
      Engine.builder()
          .addSectionHelper(new IfSectionHelper.Factory())
          .addDefaultValueResolvers()
          .strictRendering(true)
          .build();

  private final Map<NoticeForm, Template> templates = new EnumMap<>(NoticeForm.class);

  NoticeTemplates(TemplatesConfig config) {
    var own = config.dir();
    refuseUnknown(own);
    for (var form : NoticeForm.values()) {
      var file = own.resolve(form.file());
      templates.put(form, Files.exists(file) ? checked(file, read(file)) : builtIn(form));
    }
  }

  /**
   * Makes a broken template fail the start rather than the first notice. Called before the
   * scheduler starts, because its ticks would log errors when the database is closed again.
   */
  void atStart(@Observes @Priority(-1) StartupEvent start) {}

  /**
   * Returns the text of a notice; {@code fields} as in {@link NoticeForm#SAMPLE}, quoted already.
   */
  String render(NoticeForm form, Map<String, Object> fields) {
    return rendered(Objects.requireNonNull(templates.get(form)), fields);
  }

  private static String rendered(Template template, Map<String, Object> fields) {
    return template.data(fields).render().stripTrailing();
  }

  private Template builtIn(NoticeForm form) {
    var name = "/notices/" + form.file();
    try (InputStream in = NoticeTemplates.class.getResourceAsStream(name)) {
      var bytes = Objects.requireNonNull(in, name).readAllBytes();
      return checked(Path.of(form.file()), new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private Template checked(Path file, String text) {
    try {
      var template = engine.parse(text, null, file.getFileName().toString());
      rendered(template, NoticeForm.SAMPLE);
      return template;
    } catch (TemplateException fault) {
      throw unusable(file, fault);
    }
  }

  private static ConfigurationException unusable(Path file, TemplateException fault) {
    var origin = fault.getOrigin();
    var line = origin == null ? "" : ":" + origin.getLine();
    var what = Objects.requireNonNullElse(fault.getMessage(), "it cannot be parsed");
    return new ConfigurationException(
        "The notice template %s%s cannot be used: %s"
            .formatted(file, line, what.replaceAll("\\s+", " ")));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException fault) {
      throw new ConfigurationException(
          "The notice template %s cannot be read as UTF-8 text".formatted(file), fault);
    }
  }

  /** A file with a misspelled name would otherwise be ignored without an error. */
  private static void refuseUnknown(Path dir) {
    var known = Arrays.stream(NoticeForm.values()).map(NoticeForm::file).toList();
    files(dir).stream()
        .filter(name -> !name.startsWith(".") && !known.contains(name))
        .findFirst()
        .ifPresent(name -> {
          throw new ConfigurationException(
              "There is no notice template named %s; those in errand.templates.dir can be %s"
                  .formatted(dir.resolve(name), String.join(", ", known)));
        });
  }

  private static List<String> files(Path dir) {
    if (!Files.isDirectory(dir)) {
      return List.of();
    }
    try (var entries = Files.list(dir)) {
      return entries
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .sorted()
          .collect(Collectors.toUnmodifiableList());
    } catch (IOException fault) {
      throw new ConfigurationException(
          "The folder of notice templates %s cannot be read".formatted(dir), fault);
    }
  }

  /** The operator's own notice templates. */
  @ConfigMapping(prefix = "errand.templates")
  public interface TemplatesConfig {

    /**
     * A directory with files that have the names of built-in templates and replace these. Default
     * {@code templates}, relative to the directory in which the service is started; it may be
     * absent.
     */
    @WithDefault("templates")
    Path dir();
  }

  /** The forms of notices. */
  enum NoticeForm {
    TASK_COMPLETED,
    TASK_NOT_COMPLETED,
    SPAWN_COMPLETED,
    SPAWN_FAILED;

    /**
     * All fields that a template may use. A template of an operator that uses another one fails the
     * start.
     */
    static final Map<String, Object> SAMPLE =
        Map.of(
            "outcome", "failed",
            "description", "find flights",
            "label", "flights",
            "task", "Find flights to Rome.",
            "agent", "general",
            "execution_time_ms", 1500L,
            "result", "LH 123",
            "error", "error: what went wrong",
            "changes", "modified flights.txt",
            "metadata", "<task_metadata>\n</task_metadata>");

    static NoticeForm of(Task ended) {
      var completed = ended.end().problem() == null;
      return switch (ended.kind()) {
        case TASK -> completed ? TASK_COMPLETED : TASK_NOT_COMPLETED;
        case SPAWN -> completed ? SPAWN_COMPLETED : SPAWN_FAILED;
      };
    }

    String file() {
      return name().toLowerCase(Locale.ROOT) + ".txt";
    }
  }
}
