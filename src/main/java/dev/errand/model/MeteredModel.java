package dev.errand.model;

import dev.errand.model.LanguageModel.ModelReply;
import dev.errand.model.LanguageModel.ModelRequest;
import java.time.Duration;

/** Counts and times the calls of a model, and adds what they cost. */
record MeteredModel(
    LanguageModel model, String provider, String name, ModelMetrics metrics, Prices prices)
    implements LanguageModel {

  @Override
  public ModelReply reply(ModelRequest request) {
    var startedAt = System.nanoTime();
    try {
      var answer = model.reply(request);
      var reply = answer.using(prices.priced(name, answer.usage()));
      metrics.answered(provider, name, reply.usage(), since(startedAt));
      return reply;
    } catch (ModelException failed) {
      metrics.failed(provider, failed.code(), since(startedAt));
      throw failed;
    }
  }

  private static Duration since(long startedAt) {
    return Duration.ofNanos(System.nanoTime() - startedAt);
  }
}
