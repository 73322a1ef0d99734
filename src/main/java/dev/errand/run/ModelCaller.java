package dev.errand.run;

import dev.errand.model.LanguageModels;
import dev.errand.model.ModelException;
import dev.errand.model.ModelReply;
import dev.errand.model.ModelRequest;
import dev.errand.session.TurnStore;
import dev.errand.time.Backoff;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Calls a model and retries when this may help: exponential backoff with full jitter, and the
 * provider's own Retry-After.
 */
@ApplicationScoped
class ModelCaller {

  private static final Logger LOG = Logger.getLogger(ModelCaller.class);

  private final LanguageModels models;
  private final LoopConfig config;
  private final TurnStore turns;

  ModelCaller(LanguageModels models, LoopConfig config, TurnStore turns) {
    this.models = models;
    this.config = config;
    this.turns = turns;
  }

  /**
   * Blocks until the model has answered. Holds no transaction and no connection.
   *
   * @throws ModelException the last attempt failed
   * @throws dev.errand.session.LeaseLost the run lost its session meanwhile
   */
  ModelReply call(String model, ModelRequest request, Run run) {
    for (int attempt = 1; ; attempt++) {
      try {
        return run.interruptibly(() -> models.named(model).reply(request));
      } catch (ModelException fault) {
        if (!fault.retryable() || attempt >= config.attempts()) {
          throw fault;
        }
        var delay = delay(attempt, fault);
        LOG.infof(
            "Model call failed (%s), next attempt in %d ms", fault.getMessage(), delay.toMillis());
        run.pause(delay);
        report(run, fault);
      }
    }
  }

  /** The one commit that a repeated call costs. */
  private void report(Run run, ModelException fault) {
    run.modelCall()
        .ifPresent(failed -> {
          var next = failed.again();
          turns.callRepeated(run.lease(), failed, fault.word(), next);
          run.calls(next);
        });
  }

  private Duration delay(int attempt, ModelException fault) {
    var longest = config.longestDelay();
    var drawn = new Backoff(config.firstDelay(), longest).after(attempt);
    var asked = fault.retryAfter().orElse(Duration.ZERO);
    return Collections.min(List.of(longest, Collections.max(List.of(drawn, asked))));
  }
}
