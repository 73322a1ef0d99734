package dev.errand.run;

import dev.errand.context.ContextLimits;
import dev.errand.context.OlderMessages;
import dev.errand.context.SummaryPrompt;
import dev.errand.model.ModelException;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelReply;
import dev.errand.session.TurnStore;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jboss.logging.Logger;

/** Lets the session's model summarise older messages of its conversation. */
@Singleton
class Summariser {

  private static final Logger LOG = Logger.getLogger(Summariser.class);

  /** Each attempt after a refusal reads half as much. */
  private static final int ATTEMPTS = 3;

  private final ModelCaller model;

  Summariser(ModelCaller model) {
    this.model = model;
  }

  /**
   * Summarises the oldest of the messages, as many as one request may quote. Blocks until the model
   * has answered. Uses no transaction and no connection.
   *
   * @return empty when the model gave no summary
   * @throws dev.errand.session.LeaseLost the run lost its session in the meantime
   */
  Optional<TurnStore.Summary> summarise(
      ToolRunner.Shift shift, OlderMessages older, ContextLimits limits) {
    var chars = limits.summaryInputChars();
    for (int attempt = 1; ; attempt++) {
      var prompt = SummaryPrompt.of(older, limits, chars);
      try {
        var reply = model.call(shift.session(), prompt.request(), shift.run());
        return prompt.text(reply).map(text -> summary(shift, prompt, text, reply));
      } catch (ModelException fault) {
        if (fault.code() != Code.MODEL_CONTEXT_EXCEEDED || attempt == ATTEMPTS) {
          LOG.warnf("No summary of messages %s: %s", prompt.covers(), fault.getMessage());
          return Optional.empty();
        }
        chars /= 2;
      }
    }
  }

  private static TurnStore.Summary summary(
      ToolRunner.Shift shift, SummaryPrompt prompt, String text, ModelReply reply) {
    var call = shift.run().modelCall().orElseThrow();
    return new TurnStore.Summary(text, prompt.covers(), reply.usage(), call);
  }
}
