package dev.errand.model;

import dev.errand.model.ModelNames.ModelAliases;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The number of tokens that fit into one request to a model. */
@Singleton
public class ContextWindows {

  /** An average of texts in European languages and program code. */
  public static final int CHARS_PER_TOKEN = 4;

  private static final int UNKNOWN = 128_000;

  /** The first entry whose name occurs in the name of the model counts. */
  private static final List<Map.Entry<String, Integer>> FAMILIES =
      List.of(
          Map.entry("claude", 200_000),
          Map.entry("gpt-5", 400_000),
          Map.entry("gpt-4.1", 1_000_000),
          Map.entry("gpt-4o", 128_000),
          Map.entry("gpt-4-turbo", 128_000),
          Map.entry("gpt-4-1106", 128_000),
          Map.entry("gpt-4-0125", 128_000),
          Map.entry("gpt-4", 8_192),
          Map.entry("gpt-3.5", 16_385),
          Map.entry("o1-mini", 128_000),
          Map.entry("o1", 200_000),
          Map.entry("o3", 200_000),
          Map.entry("o4", 200_000),
          Map.entry("gemini", 1_000_000),
          Map.entry("grok-4", 256_000),
          Map.entry("kimi-k2", 128_000));

  private final ModelConfig config;
  private final SortedMap<String, Integer> configured = new TreeMap<>();

  public ContextWindows(ModelConfig config, ModelAliases aliases) {
    this.config = config;
    var names = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    names.putAll(aliases.models());
    config
        .contextTokens()
        .forEach((name, tokens) -> configured.put(names.getOrDefault(name.strip(), name), tokens));
  }

  /**
   * The numbers of tokens that fit into one call.
   *
   * @param inputTokens of the request: the context window without the space for an answer
   * @param answerTokens of one answer: at most half of the context window
   */
  public record Window(int inputTokens, int answerTokens) {

    /** Returns the whole context window. */
    int tokens() {
      return inputTokens + answerTokens;
    }
  }

  /** Returns the window of a model, {@code provider:name}. */
  public Window of(String name) {
    var tokens = tokens(name);
    var answer = Math.min(config.maxOutputTokens(), tokens / 2);
    return new Window(tokens - answer, answer);
  }

  private int tokens(String name) {
    var own = configured.get(name);
    if (own != null) {
      return own;
    }
    var colon = name.indexOf(':');
    return switch (name.substring(0, Math.max(colon, 0))) {
      case "ollama" -> config.ollama().contextTokens();
      // It reads everything, and it cannot summarise.
      case "offline" -> Integer.MAX_VALUE;
      default -> ofFamily(name.substring(colon + 1).toLowerCase(Locale.ROOT));
    };
  }

  private static int ofFamily(String model) {
    return FAMILIES.stream()
        .filter(family -> model.contains(family.getKey()))
        .findFirst()
        .map(Map.Entry::getValue)
        .orElse(UNKNOWN);
  }
}
