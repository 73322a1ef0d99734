package dev.errand.model;

import dev.errand.trace.SpanScope;
import dev.errand.trace.Spans;
import java.util.Locale;

/**
 * A model whose calls are spans of the run that the calling thread works for. A streamed answer's
 * span ends with the stream.
 *
 * @param name the provider's own
 */
record TracedModel(LanguageModel model, String provider, String name, Spans spans)
    implements LanguageModel {

  @Override
  public ModelReply reply(ModelRequest request) {
    try (var span = spans.chat(provider, name)) {
      var reply = answered(request, span);
      span.about("gen_ai.usage.input_tokens", reply.usage().inputTokens());
      span.about("gen_ai.usage.output_tokens", reply.usage().outputTokens());
      return reply;
    }
  }

  private ModelReply answered(ModelRequest request, SpanScope span) {
    try {
      return model.reply(request);
    } catch (ModelException fault) {
      span.failed(fault.code().name().toLowerCase(Locale.ROOT));
      throw fault;
    }
  }
}
