package dev.errand.model;

import dev.errand.model.ModelException.Code;
import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ToolChoice;

/** A model of a provider, called through langchain4j. */
final class ChatLanguageModel implements LanguageModel {

  private final Endpoint endpoint;
  private final Chat chat;

  ChatLanguageModel(Endpoint endpoint, Chat chat) {
    this.endpoint = endpoint;
    this.chat = chat;
  }

  @Override
  public ModelReply reply(ModelRequest request) {
    var outgoing =
        ChatRequest.builder()
            .messages(new ChatMessages(request).all())
            .toolSpecifications(request.tools().stream().map(ToolSchemas::specification).toList());
    if (request.closing() && !request.tools().isEmpty()) {
      outgoing.toolChoice(ToolChoice.NONE);
    }
    try {
      return ReplyReader.read(chat.answer(outgoing.build()));
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
