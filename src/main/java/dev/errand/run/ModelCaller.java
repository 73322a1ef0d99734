package dev.errand.run;

import dev.errand.model.ContextWindows;
import dev.errand.model.EndpointGate;
import dev.errand.model.EndpointGates;
import dev.errand.model.Fallbacks;
import dev.errand.model.LanguageModel;
import dev.errand.model.LanguageModels;
import dev.errand.model.ModelException;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelReply;
import dev.errand.model.Prices;
import dev.errand.model.RequestSource;
import dev.errand.pause.Pauses;
import dev.errand.session.ModelCalls;
import dev.errand.session.ModelPatience.ModelAway;
import dev.errand.session.Session;
import dev.errand.tenant.TenantModels;
import dev.errand.tenant.Tenants;
import dev.errand.time.Backoff;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Calls a model when its endpoint may be called, and repeats a call a few times in quick succession
 * while the model is away or its answer cannot be read. A run that would have to wait for longer
 * gives its worker back: the session waits in the database (architecture, rule 18).
 */
@Singleton
class ModelCaller {

  private static final Logger LOG = Logger.getLogger(ModelCaller.class);

  /** How long after its first attempt a run keeps its worker for another one. */
  private static final Duration QUICK = Duration.ofSeconds(5);

  private final LanguageModels models;
  private final EndpointGates gates;
  private final Fallbacks fallbacks;
  private final ContextWindows windows;
  private final Prices prices;
  private final Pauses pauses;
  private final ModelRetryConfig config;
  private final ModelCalls modelCalls;
  private final Tenants tenants;

  ModelCaller(
      LanguageModels models,
      EndpointGates gates,
      Fallbacks fallbacks,
      ContextWindows windows,
      Prices prices,
      Pauses pauses,
      ModelRetryConfig config,
      ModelCalls modelCalls,
      Tenants tenants) {
    this.tenants = tenants;
    this.models = models;
    this.gates = gates;
    this.fallbacks = fallbacks;
    this.windows = windows;
    this.prices = prices;
    this.pauses = pauses;
    this.config = config;
    this.modelCalls = modelCalls;
  }

  /** Returns the model to call first for a session: its own, or the first fallback of it. */
  String first(String model, String tenant) {
    return fallbacks.first(model, tenants.of(tenant).models());
  }

  /** Returns the gate of the endpoint that is called first. */
  EndpointGate gate(String model, String tenant) {
    return gates.of(first(model, tenant), tenants.of(tenant).models());
  }

  /**
   * Blocks until the model has answered. Uses no transaction and no connection.
   *
   * @throws ModelException the call failed, and waiting does not help; it was not repeated
   * @throws CallDelayed the call has to wait
   * @throws dev.errand.session.LeaseLost the run lost its session in the meantime
   */
  ModelReply call(Session session, RequestSource request, Run run) {
    var name = session.model();
    var tenant = tenants.of(session.tenant()).models();
    if (!fallbacks.isTriedFirst(name, tenant)) {
      return byFallback(session, tenant, request, run)
          .orElseGet(() -> callAgain(name, tenant, request, run));
    }
    try {
      return callOne(name, tenant, request, run);
    } catch (CallDelayed later) {
      if (later.away() instanceof ModelException fault) {
        fallbacks.failed(name, tenant, fault);
      }
      if (!fallbacks.mayBeReplaced(name, tenant)) {
        throw later;
      }
      return byFallback(session, tenant, request, run).orElseThrow(() -> later);
    } catch (ModelException fault) {
      if (!fault.isOfEndpoint()) {
        throw fault;
      }
      fallbacks.failed(name, tenant, fault);
      return byFallback(session, tenant, request, run).orElseThrow(() -> fault);
    }
  }

  /**
   * Calls a fallback; returns empty when none can be called. A request that is too long for one was
   * made for a model with a larger window; the next request is shortened first. Where money is
   * limited, a fallback needs a price. One whose provider is paused is not called.
   */
  private Optional<ModelReply> byFallback(
      Session session, TenantModels tenant, RequestSource request, Run run) {
    var name = session.model();
    var reason = fallbacks.reason(name, tenant);
    for (var fallback : fallbacks.of(name, tenant)) {
      if (run.moneyIsLimited() && !prices.include(fallback)) {
        LOG.warnf("%s cannot be called in place of %s: it has no price", fallback, name);
        continue;
      }
      if (pauses.applyingTo(session.tenant(), session.agent(), fallback).isPresent()) {
        continue;
      }
      if (request.tokens() > windows.of(fallback).inputTokens()) {
        LOG.warnf("The request of about %d tokens is too long for %s", request.tokens(), fallback);
        continue;
      }
      try {
        replace(run, fallback, reason);
        return Optional.of(callOne(fallback, tenant, request, run));
      } catch (CallDelayed later) {
        reason = later.away() instanceof ModelException fault ? fault.word() : "model_busy";
      } catch (ModelException fault) {
        if (fault.code() == Code.MODEL_CONTEXT_EXCEEDED || fault.code() == Code.MODEL_INTERRUPTED) {
          throw fault;
        }
        reason = fault.word();
      }
      LOG.warnf("%s cannot be called in place of %s (%s)", fallback, name, reason);
    }
    return Optional.empty();
  }

  private ModelReply callAgain(String name, TenantModels tenant, RequestSource request, Run run) {
    replace(run, name, fallbacks.reason(name, tenant));
    return callOne(name, tenant, request, run);
  }

  /** Records the change of the model, in one commit. */
  private void replace(Run run, String model, String reason) {
    run.modelCall()
        .ifPresent(failed -> {
          LOG.infof("%s is called in place of %s (%s)", model, failed.model(), reason);
          var next = failed.with(model);
          modelCalls.replaced(run.lease(), failed, reason, next);
          run.calls(next);
        });
  }

  private ModelReply callOne(String name, TenantModels tenant, RequestSource request, Run run) {
    var gate = gates.of(name, tenant);
    var givesUpAt = System.nanoTime() + QUICK.toNanos();
    ModelException failed = null;
    for (int attempt = 1; ; attempt++) {
      try (var permit = CallPermits.take(gate, run, failed, givesUpAt)) {
        if (failed != null) {
          report(run, failed);
        }
        var reply = answer(models.named(name, tenant), request, run, permit);
        fallbacks.answered(name, tenant);
        return reply;
      } catch (ModelException fault) {
        var delay = delay(attempt, fault);
        var isLast = attempt >= config.attempts() || CallPermits.isLate(givesUpAt, delay);
        if (isLast && fault.isAway()) {
          throw new CallDelayed(asked(fault), fault, true);
        }
        if (isLast || !fault.mayPass()) {
          throw fault;
        }
        LOG.infof(
            "Model call failed (%s), next attempt in %d ms", fault.getMessage(), delay.toMillis());
        run.pause(delay);
        failed = fault;
      }
    }
  }

  /** Reports a repeated call, in one commit. */
  private void report(Run run, ModelException fault) {
    run.modelCall()
        .ifPresent(failed -> {
          var next = failed.again();
          modelCalls.repeated(
              run.lease(),
              failed,
              new ModelAway(fault.word(), String.valueOf(fault.getMessage())),
              next);
          run.calls(next);
        });
  }

  private static ModelReply answer(
      LanguageModel model, RequestSource request, Run run, EndpointGate.Permit permit) {
    try {
      // Here, because an interrupt would break the connection to the database.
      var ignored = request.make();
      var reply = run.interruptibly(() -> model.reply(request));
      permit.answered();
      return reply;
    } catch (ModelException fault) {
      permit.failed(fault);
      throw fault;
    }
  }

  private Duration delay(int attempt, ModelException fault) {
    var drawn = new Backoff(config.firstDelay(), config.longestDelay()).after(attempt);
    var asked = asked(fault);
    return asked.compareTo(drawn) > 0 ? asked : drawn;
  }

  private static Duration asked(ModelException fault) {
    return fault.retryAfter().orElse(Duration.ZERO);
  }
}
