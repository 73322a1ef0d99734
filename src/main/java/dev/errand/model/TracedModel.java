package dev.errand.model;

import dev.errand.trace.SpanScope;
import dev.errand.trace.Spans;

/**
 * Records the calls of a model as spans of the current run. The span of a streamed answer ends with
 * the stream.
 *
 * @param name the name of the model at its provider
 */
record TracedModel(LanguageModel model, String provider, String name, Spans spans)
    implements LanguageModel {

  @Override
  public ModelReply reply(RequestSource request) {
    try (var span = spans.chat(provider, name)) {
      var reply = answered(request, span);
      span.about("gen_ai.usage.input_tokens", reply.usage().inputTokens());
      span.about("gen_ai.usage.cache_read.input_tokens", reply.usage().cachedInputTokens());
      span.about("gen_ai.usage.output_tokens", reply.usage().outputTokens());
      return reply;
    }
  }

  private ModelReply answered(RequestSource request, SpanScope span) {
    try {
      return model.reply(request);
    } catch (ModelException fault) {
      span.failed(fault.word());
      throw fault;
    }
  }
}
