package dev.errand.model;

import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Configuration of language models. Read at start; invalid values stop the start. {@link
 * ServiceEndpoints} reads the keys and base URLs.
 */
@ConfigMapping(prefix = "errand.models")
public interface ModelConfig {

  /**
   * The time limit for opening a connection. Default 5 s. A shorter time detects a dead endpoint
   * sooner; a longer time allows a slow network.
   */
  @WithDefault("5s")
  @Bounds(min = "1ms")
  Duration connectTimeout();

  /**
   * The time limit for the first byte of an answer. Default 5 min. A shorter time detects a hung
   * endpoint sooner; a longer time allows long prompts on slow hardware, and endpoints that send
   * the whole answer at once. Not used for an endpoint that refuses to stream.
   */
  @WithDefault("5m")
  @Bounds(min = "1ms")
  Duration firstByteTimeout();

  /**
   * The longest pause within an answer. Default 5 min. A shorter time detects a broken stream
   * sooner; a longer time allows models that think between words, and servers that send the
   * arguments of a call when they are complete.
   */
  @WithDefault("5m")
  @Bounds(min = "1ms")
  Duration chunkTimeout();

  /**
   * The time limit for one call. Default 10 min. A shorter time leaves more time of the task for a
   * retry; a longer time allows longer answers.
   */
  @WithDefault("10m")
  @Bounds(min = "1ms")
  Duration totalTimeout();

  /**
   * The maximum number of tokens of one answer, at most half of the context window of the model.
   * Default 8192. A lower value limits the cost of a turn; a higher value avoids that long answers
   * are cut (a cut tool call is not executed). Some models allow fewer tokens and refuse the
   * request.
   */
  @WithDefault("8192")
  @Bounds(min = "1")
  int maxOutputTokens();

  /**
   * {@code errand.models.context-tokens.<model>}: the context window of a model in tokens, by its
   * alias or by its name in quotation marks. Absent: that of its family, 128000 for an unknown one.
   * A higher value keeps more of a long conversation; with a value above the true one, requests are
   * refused before the conversation is shortened.
   */
  @Bounds(min = "1000")
  Map<String, Integer> contextTokens();

  /**
   * How long a run waits for a model that cannot be reached, is overloaded or refuses for its rate
   * limit, from the first failed call to the next saved turn. In the meantime the session waits in
   * the database, and a task's time-out continues to run. Default 30 min. A longer time survives
   * longer outages; a shorter one reports a failure sooner. With 0 no run waits.
   */
  @WithDefault("30m")
  @Bounds(min = "0s")
  Duration patience();

  /**
   * The shortest time between two calls of this node to an endpoint that is away. Default 1 s. A
   * shorter time notices sooner that it is back; a longer one spares it.
   */
  @WithDefault("1s")
  @Bounds(min = "1ms")
  Duration trialEvery();

  /**
   * {@code errand.models.fallback.<model>=a,b}: the models that are called in place of one that is
   * away, in order; all of them by their aliases or names. Default none: a run waits for its model.
   */
  Map<String, List<String>> fallback();

  /**
   * How long a model may be away before its fallbacks are called; also how long they are called
   * before it is tried again. A model that is overloaded or refuses for its rate limit is replaced
   * at once. Default 1 min. A shorter time continues sooner; a longer one stays with the chosen
   * model during short outages.
   */
  @WithDefault("1m")
  @Bounds(min = "1ms")
  Duration fallbackAfter();

  OpenAi openai();

  Anthropic anthropic();

  Ollama ollama();

  /** Settings of OpenAI, and of endpoints with its chat completions API. */
  interface OpenAi {

    /**
     * The key of OpenAI. Absent: no {@code openai:} models, unless {@link #baseUrl} is another
     * endpoint.
     */
    Optional<String> apiKey();

    /**
     * The base URL, which usually ends with {@code /v1}. Absent: {@code https://api.openai.com/v1}.
     */
    Optional<String> baseUrl();

    /**
     * The most calls that a node makes at the same time; further ones wait. Absent: no limit other
     * than what the endpoint shows by its refusals. A lower value spares an endpoint; a higher one
     * uses it better.
     */
    @Bounds(min = "1")
    Optional<Integer> maxConcurrent();

    /**
     * The most tools in a request. Default 128, the limit of OpenAI: the service's own come first,
     * then those of MCP servers in the order of their names, and the log names what is left out. A
     * lower value suits a small model; a higher one needs an endpoint that accepts it.
     */
    @WithDefault("128")
    @Bounds(min = "1")
    int maxTools();
  }

  /** Settings of Anthropic, with its messages API. */
  interface Anthropic {

    /** The key of Anthropic. Absent: no {@code anthropic:} models. */
    Optional<String> apiKey();

    /** The base URL, with or without {@code /v1}. Absent: {@code https://api.anthropic.com}. */
    Optional<String> baseUrl();

    /**
     * The most calls that a node makes at the same time; further ones wait. Absent: no limit other
     * than what the endpoint shows by its refusals. A lower value spares an endpoint; a higher one
     * uses it better.
     */
    @Bounds(min = "1")
    Optional<Integer> maxConcurrent();

    /**
     * The most tools in a request; further ones are left out, as for {@link OpenAi#maxTools}.
     * Absent: no limit. A lower value saves tokens.
     */
    @Bounds(min = "1")
    Optional<Integer> maxTools();
  }

  /** A local Ollama. */
  interface Ollama {

    /** The base URL. Absent: {@code http://localhost:11434}. */
    Optional<String> baseUrl();

    /**
     * The context size in tokens of a model without an entry in {@link ModelConfig#contextTokens};
     * either is sent to Ollama. Default 16384, because the default of Ollama is much smaller, and
     * it drops what does not fit without an error. A higher value allows longer conversations; a
     * lower value saves memory.
     */
    @WithDefault("16384")
    @Bounds(min = "1")
    int contextTokens();

    /**
     * The most calls that a node makes at the same time; further ones wait. Absent: no limit other
     * than what the endpoint shows by its refusals. A lower value spares an endpoint; a higher one
     * uses it better.
     */
    @Bounds(min = "1")
    Optional<Integer> maxConcurrent();

    /**
     * The most tools in a request. Default 128; further ones are left out, as for {@link
     * OpenAi#maxTools}. A lower value suits a small model; a higher one offers more tools.
     */
    @WithDefault("128")
    @Bounds(min = "1")
    int maxTools();
  }
}
