package dev.errand.model;

import dev.errand.model.ModelException.Code;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The models that are called in place of one that is away. What this node knows about a model is
 * from its own calls; a model without fallbacks is not watched.
 */
@ApplicationScoped
public class Fallbacks {

  private final Map<String, List<String>> lists;
  private final ModelNames names;
  private final long afterNanos;
  private final LongSupplier nanoTime;
  private final Map<String, Trouble> troubles = new ConcurrentHashMap<>();

  /**
   * @param since the first failed call after the last answer, on the monotonic clock
   * @param last the last failed call
   */
  private record Trouble(long since, long last, Code code) {}

  @Inject
  Fallbacks(ModelConfig config, ModelNames names) {
    this(config, names, System::nanoTime);
  }

  Fallbacks(ModelConfig config, ModelNames names, LongSupplier nanoTime) {
    this.names = names;
    this.afterNanos = config.fallbackAfter().toNanos();
    this.nanoTime = nanoTime;
    this.lists =
        config.fallback().entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    list -> names.resolve(list.getKey()),
                    list -> list.getValue().stream().map(names::resolve).toList()));
  }

  /** Stops the start if a fallback cannot be used. */
  void check(@Observes StartupEvent start) {
    lists.forEach((model, list) ->
        list.forEach(fallback ->
            names
                .problemWithoutSession(fallback)
                .ifPresent(problem -> {
                  throw new IllegalStateException(
                      "errand.models.fallback of %s: %s".formatted(model, problem));
                })));
  }

  /** The fallbacks of a model, in order. */
  public List<String> of(String model) {
    return lists.getOrDefault(model, List.of());
  }

  /** The model to call first: the named one, or its first fallback while it is away. */
  public String first(String model) {
    return isTriedFirst(model) ? model : of(model).getFirst();
  }

  /**
   * Whether the model itself is called before its fallbacks. One that is away is tried again after
   * the time that it had before its fallbacks were used.
   */
  public boolean isTriedFirst(String model) {
    var trouble = troubles.get(model);
    return trouble == null
        || !mayBeReplaced(model)
        || nanoTime.getAsLong() - trouble.last() >= afterNanos;
  }

  /** Whether the model has been away for long enough, or refuses because it is overloaded. */
  public boolean mayBeReplaced(String model) {
    var trouble = troubles.get(model);
    return trouble != null
        && (trouble.code() == Code.MODEL_RATE_LIMITED
            || trouble.code() == Code.MODEL_UNAVAILABLE
            || nanoTime.getAsLong() - trouble.since() >= afterNanos);
  }

  /** Why the model is away, a word for programs. */
  public String reason(String model) {
    var trouble = troubles.get(model);
    return ModelException.word(trouble == null ? Code.MODEL_UNAVAILABLE : trouble.code());
  }

  /** Calls of the model have failed. */
  public void failed(String model, ModelException fault) {
    if (!of(model).isEmpty()) {
      var now = nanoTime.getAsLong();
      troubles.merge(
          model,
          new Trouble(now, now, fault.code()),
          (before, latest) -> new Trouble(before.since(), latest.last(), latest.code()));
    }
  }

  public void answered(String model) {
    troubles.remove(model);
  }
}
