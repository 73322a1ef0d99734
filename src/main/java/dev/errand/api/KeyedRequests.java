package dev.errand.api;

import dev.errand.http.Problem;
import dev.errand.http.Refusal;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.IdempotencyStore;
import dev.errand.task.IdempotencyStore.KeyedWork;
import dev.errand.task.KeyedResult;
import dev.errand.task.RequestTurns;
import dev.errand.tool.FieldProblem;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Requests that may have an idempotency key: only the first request with a key does the work. */
@Singleton
class KeyedRequests {

  private final IdempotencyStore keys;
  private final RequestTurns turns;

  KeyedRequests(IdempotencyStore keys, RequestTurns turns) {
    this.keys = keys;
    this.turns = turns;
  }

  /**
   * Returns what an earlier request with this key made; empty for a new key, and without a key.
   *
   * @throws Refusal the key was used for a different request
   */
  Optional<KeyedResult> earlier(@Nullable IdempotencyKey key) {
    return key == null ? Optional.empty() : keys.find(key).map(use -> sameRequest(use, key));
  }

  private static KeyedResult sameRequest(IdempotencyStore.KeyUse use, IdempotencyKey key) {
    if (use.bodySha256().equals(key.bodySha256())) {
      return use.made();
    }
    throw new Refusal(
        Problem.UNPROCESSABLE,
        "The idempotency key was used for another request.",
        List.of(
            new FieldProblem(
                "Idempotency-Key", "was used before for another request; use a new key")));
  }

  /**
   * Answers a request.
   *
   * @param made what the work makes; kept with the key
   * @param work does what the request asks for, in the transaction that takes the key
   * @param again answers a repetition, which does no work
   */
  <T> T once(
      @Nullable IdempotencyKey key,
      KeyedResult made,
      Supplier<T> work,
      Function<KeyedResult, T> again) {
    return turns.take(() ->
        earlier(key)
            .map(again)
            .orElseGet(() ->
                switch (keys.first(key, made, work)) {
                  case KeyedWork.WorkDone(var result) -> result;
                  case KeyedWork.KeyTaken<?> _ -> again.apply(earlier(key).orElseThrow());
                }));
  }
}
