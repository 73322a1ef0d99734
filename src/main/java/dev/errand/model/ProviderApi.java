package dev.errand.model;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The APIs of the providers: their form, where they are, and which part of a URL is theirs. */
enum ProviderApi {

  /** A URL without a path gets {@code /v1}. */
  OPENAI(
      new OpenAiDialect(),
      "https://api.openai.com/v1",
      List.of("/chat/completions", "/completions", "/responses", "/models", "/embeddings")) {
    @Override
    String completed(String path, URI given) {
      var isAzure = isAzure(given);
      return hasNoPath(given) ? (isAzure ? "/openai/v1" : "/v1") : path;
    }
  },

  /** A URL may end before or after {@code /v1}. */
  ANTHROPIC(new AnthropicDialect(), "https://api.anthropic.com/v1", List.of("/messages")) {
    @Override
    String completed(String path, URI given) {
      return path.endsWith("/v1") ? path : path + "/v1";
    }
  },

  /** Its own API, also when the URL is that of the API that it shares with OpenAI. */
  OLLAMA(
      new OllamaDialect(),
      "http://localhost:11434",
      List.of("/api/chat", "/api/generate", "/api/tags", "/api", "/v1/chat/completions", "/v1")) {
    @Override
    String completed(String path, URI given) {
      return path;
    }
  };

  private static final List<String> AZURE_HOSTS =
      List.of(".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com");

  private static final String ANTHROPIC_NEEDS_KEY =
      "anthropic needs a key: set ANTHROPIC_API_KEY (errand.models.anthropic.api-key).";

  private static final String OPENAI_NEEDS_KEY =
      "openai needs a key: set OPENAI_API_KEY (errand.models.openai.api-key),"
          + " or OPENAI_BASE_URL for an endpoint that needs none.";

  private final Dialect dialect;
  private final URI standard;
  private final List<String> calls;

  /**
   * @param calls the ends of a URL that name a call of the API, which is left out
   */
  ProviderApi(Dialect dialect, String standard, List<String> calls) {
    this.dialect = dialect;
    this.standard = URI.create(standard);
    this.calls = calls;
  }

  /** Returns the part of a model name before the colon. */
  String provider() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns how requests and answers are written. */
  Dialect dialect() {
    return dialect;
  }

  /** Returns the base URL when none is configured. */
  URI standard() {
    return standard;
  }

  /** Returns the URL that the paths of the API are added to. Its query is part of each request. */
  URI base(URI given) {
    var path = withoutSlashes(given.getRawPath());
    var base = completed(withoutCall(path), given);
    var query = given.getRawQuery();
    return URI.create(
        given.getScheme()
            + "://"
            + given.getRawAuthority()
            + base
            + (query == null || query.isEmpty() ? "" : "?" + query));
  }

  abstract String completed(String path, URI given);

  /** Returns why an endpoint cannot be called with these settings; empty if it can. */
  Optional<String> problem(boolean hasKey, boolean hasBaseUrl) {
    return switch (this) {
      case ANTHROPIC -> hasKey ? Optional.empty() : Optional.of(ANTHROPIC_NEEDS_KEY);
      // Other endpoints than OpenAI may not need a key; many local ones do not.
      case OPENAI -> hasKey || hasBaseUrl ? Optional.empty() : Optional.of(OPENAI_NEEDS_KEY);
      case OLLAMA -> Optional.empty();
    };
  }

  private String withoutCall(String path) {
    return calls.stream()
        .filter(call -> path.toLowerCase(Locale.ROOT).endsWith(call))
        .findFirst()
        .map(call -> withoutSlashes(path.substring(0, path.length() - call.length())))
        .orElse(path);
  }

  private static boolean hasNoPath(URI given) {
    return withoutSlashes(given.getRawPath()).isEmpty();
  }

  private static String withoutSlashes(String path) {
    return path.replaceAll("/+$", "");
  }

  /**
   * Returns whether the endpoint is one of Azure, or one that has its API, which wants the key in a
   * header of its own.
   */
  static boolean isAzure(URI url) {
    var host = ("." + url.getHost()).toLowerCase(Locale.ROOT);
    var query = url.getRawQuery();
    return AZURE_HOSTS.stream().anyMatch(host::endsWith)
        || (query != null && query.contains("api-version="));
  }
}
