package dev.errand.model;

import dev.errand.model.ModelException.Code;
import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ToolChoice;

/** A model of a provider, called through langchain4j. */
final class ChatLanguageModel implements LanguageModel {

  private final Endpoint endpoint;
  private final String name;
  private final Chat chat;

  ChatLanguageModel(Endpoint endpoint, String model, Chat chat) {
    this.endpoint = endpoint;
    this.name = endpoint.provider() + ":" + model;
    this.chat = chat;
  }

  @Override
  public ModelReply reply(ModelRequest request) {
    var messages = new ChatMessages(request, name);
    var outgoing =
        ChatRequest.builder()
            .messages(messages.all())
            .toolSpecifications(request.tools().stream().map(ToolSchemas::specification).toList());
    if (request.closing() && !request.tools().isEmpty()) {
      outgoing.toolChoice(ToolChoice.NONE);
    }
    try {
      var answer = CallMetadata.sent(messages.metadata(), () -> chat.answer(outgoing.build()));
      return ReplyReader.read(answer, name);
    } catch (RuntimeException failed) {
      throw fault(failed);
    }
  }

  /** An exception of langchain4j itself means that it could not read the answer. */
  private ModelException fault(RuntimeException failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      switch (cause) {
        case OpaqueModelException carried -> {
          return carried.fault();
        }
        case ModelException known -> {
          return known;
        }
        case ContentFilteredException refused -> {
          return endpoint.fault(Code.MODEL_REJECTED_REQUEST, "refused to answer.", refused);
        }
        default -> {}
      }
    }
    return endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent an answer that cannot be read.", failed);
  }
}
