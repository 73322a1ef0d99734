package dev.errand.model;

import dev.errand.conversation.JsonText;
import dev.errand.conversation.Usage;
import java.time.Duration;

/** Counts and times the calls of a model, and adds what they cost. */
record MeteredModel(
    LanguageModel model, String provider, String name, ModelMetrics metrics, Prices prices)
    implements LanguageModel {

  @Override
  public ModelReply reply(RequestSource request) {
    var startedAt = System.nanoTime();
    try {
      var answer = model.reply(request);
      var reply = answer.using(prices.priced(name, usage(request, answer)));
      metrics.answered(provider, name, reply.usage(), since(startedAt));
      return reply;
    } catch (ModelException failed) {
      metrics.failed(provider, failed.code(), since(startedAt));
      throw failed;
    }
  }

  /**
   * Returns the usage as reported, or an estimate when nothing was reported: otherwise no budget
   * would be used up.
   */
  private static Usage usage(RequestSource request, ModelReply answer) {
    var reported = answer.usage();
    if (reported.inputTokens() + reported.outputTokens() > 0) {
      return reported;
    }
    var chars =
        answer.text().length()
            + answer.toolCalls().stream()
                .mapToLong(call -> call.name().length() + JsonText.of(call.arguments()).length())
                .sum();
    return Usage.estimate(request.tokens(), Math.ceilDiv(chars, ContextWindows.CHARS_PER_TOKEN));
  }

  private static Duration since(long startedAt) {
    return Duration.ofNanos(System.nanoTime() - startedAt);
  }
}
