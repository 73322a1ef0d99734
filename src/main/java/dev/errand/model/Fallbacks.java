package dev.errand.model;

import dev.errand.model.ModelException.Code;
import dev.errand.tenant.ProviderCredentials;
import dev.errand.tenant.TenantModels;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The models that are called in place of one that is away. What this node knows about a model is
 * from its own calls; a model without fallbacks is not watched.
 */
@Singleton
public class Fallbacks {

  private final Map<String, List<String>> lists;
  private final ModelNames names;
  private final long afterNanos;
  private final LongSupplier nanoTime;

  /**
   * @param own the credentials of a tenant; null for those of the service
   */
  private record FallbackKey(String model, @Nullable ProviderCredentials own) {}

  private final Map<FallbackKey, Trouble> troubles = new ConcurrentHashMap<>();

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

  /** Returns the fallbacks of a model that the tenant may call, in order. */
  public List<String> of(String model, TenantModels tenant) {
    return of(model).stream().filter(name -> names.problem(name, tenant).isEmpty()).toList();
  }

  private List<String> of(String model) {
    return lists.getOrDefault(model, List.of());
  }

  /** Returns the model to call first: the named model, or its first fallback while it is away. */
  public String first(String model, TenantModels tenant) {
    return isTriedFirst(model, tenant) ? model : of(model, tenant).getFirst();
  }

  /**
   * Returns whether the model itself is called before its fallbacks. One that is away is tried
   * again after the time that it had before its fallbacks were used.
   */
  public boolean isTriedFirst(String model, TenantModels tenant) {
    var trouble = trouble(model, tenant);
    return trouble.isEmpty()
        || !mayBeReplaced(model, tenant)
        || nanoTime.getAsLong() - trouble.get().last() >= afterNanos
        || of(model, tenant).isEmpty();
  }

  /**
   * Returns whether the model has been away for long enough, or gives a reason to replace it at
   * once.
   */
  public boolean mayBeReplaced(String model, TenantModels tenant) {
    return trouble(model, tenant)
        .filter(trouble ->
            trouble.code() == Code.MODEL_RATE_LIMITED
                || trouble.code() == Code.MODEL_UNAVAILABLE
                || trouble.code() == Code.MODEL_TLS_FAILED
                || trouble.code() == Code.MODEL_QUOTA_EXCEEDED
                || nanoTime.getAsLong() - trouble.since() >= afterNanos)
        .isPresent();
  }

  /** Returns why the model is away, a word for programs. */
  public String reason(String model, TenantModels tenant) {
    return trouble(model, tenant).map(Trouble::code).orElse(Code.MODEL_UNAVAILABLE).word();
  }

  /** Calls of the model have failed. */
  public void failed(String model, TenantModels tenant, ModelException fault) {
    if (!of(model).isEmpty()) {
      var now = nanoTime.getAsLong();
      troubles.merge(
          key(model, tenant),
          new Trouble(now, now, fault.code()),
          (before, latest) -> new Trouble(before.since(), latest.last(), latest.code()));
    }
  }

  public void answered(String model, TenantModels tenant) {
    troubles.remove(key(model, tenant));
  }

  private Optional<Trouble> trouble(String model, TenantModels tenant) {
    return troubles.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(troubles.get(key(model, tenant)));
  }

  private static FallbackKey key(String model, TenantModels tenant) {
    return new FallbackKey(model, tenant.of(model.split(":", 2)[0]).orElse(null));
  }
}
