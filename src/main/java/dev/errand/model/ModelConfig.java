package dev.errand.model;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Positive;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMin;

/** How language models are reached. Read at start-up; values that make no sense stop it. */
@ConfigMapping(prefix = "errand.models")
public interface ModelConfig {

  /**
   * Whether answers are streamed. Default false. With it a dead connection shows within {@link
   * #firstByteTimeout} or {@link #chunkTimeout}; without it only {@link #totalTimeout} bounds the
   * wait, but endpoints that stream badly or not at all work.
   */
  @WithDefault("false")
  boolean streaming();

  /**
   * How long a connection may take to be made. Default 5 s. Shorter finds a dead endpoint sooner;
   * longer bears a slow network.
   */
  @WithDefault("5s")
  @DurationMin(millis = 1)
  Duration connectTimeout();

  /**
   * How long a streaming model may think before its first byte. Default 60 s. Shorter finds a hung
   * endpoint sooner; longer bears long prompts on slow hardware. Not used when not streaming: there
   * the first byte comes with the whole answer.
   */
  @WithDefault("60s")
  @DurationMin(millis = 1)
  Duration firstByteTimeout();

  /**
   * How long an answer that has begun may pause. Default 30 s. Shorter finds a broken stream
   * sooner; longer bears models that think between words.
   */
  @WithDefault("30s")
  @DurationMin(millis = 1)
  Duration chunkTimeout();

  /**
   * How long one call may take in all. Default 10 min. Shorter gives the retry more room within the
   * task's time; longer allows longer answers.
   */
  @WithDefault("10m")
  @DurationMin(millis = 1)
  Duration totalTimeout();

  /**
   * The most tokens one answer may have. Default 8192. Lower bounds the cost of a turn; higher
   * avoids that long answers are cut (a tool call that was cut is not done). Some models allow
   * fewer and refuse the request.
   */
  @WithDefault("8192")
  @Positive
  int maxOutputTokens();

  OpenAi openai();

  Anthropic anthropic();

  Ollama ollama();

  /** OpenAI, and endpoints that speak its chat completions. */
  interface OpenAi {

    /** Absent: no {@code openai:} models, unless {@link #baseUrl} names another endpoint. */
    Optional<String> apiKey();

    /** Ends in {@code /v1}. Absent: OpenAI's own, {@code https://api.openai.com/v1}. */
    Optional<@WithConverter(HttpUrlConverter.class) URI> baseUrl();
  }

  /** Anthropic's messages. */
  interface Anthropic {

    /** Absent: no {@code anthropic:} models. */
    Optional<String> apiKey();

    /** With or without {@code /v1}. Absent: Anthropic's own, {@code https://api.anthropic.com}. */
    Optional<@WithConverter(HttpUrlConverter.class) URI> baseUrl();
  }

  /** A local Ollama. */
  interface Ollama {

    /** Absent: {@code http://localhost:11434}. */
    Optional<@WithConverter(HttpUrlConverter.class) URI> baseUrl();

    /**
     * Tokens of a conversation that Ollama keeps in sight. Default 16384; Ollama's own default is
     * much less, and it drops what does not fit without a word. Higher allows longer conversations;
     * lower saves memory.
     */
    @WithDefault("16384")
    @Positive
    int contextTokens();
  }
}
