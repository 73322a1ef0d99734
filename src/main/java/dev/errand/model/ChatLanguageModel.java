package dev.errand.model;

import dev.errand.model.LanguageModel.ModelReply;
import dev.errand.model.LanguageModel.ModelRequest;
import dev.errand.model.ModelException.Code;
import dev.errand.model.ModelException.OpaqueModelException;
import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.util.concurrent.CompletableFuture;

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

  /** One blocking call of a langchain4j model. */
  interface Chat {

    ChatResponse answer(ChatRequest request);

    /** Calls a streaming model and returns the answer when it is complete. */
    static Chat streamed(StreamingChatModel model) {
      return request -> {
        var answer = new CompletableFuture<ChatResponse>();
        model.chat(request, new Collector(answer));
        // EndpointHttp has read the whole stream on this thread: nothing more will arrive.
        answer.completeExceptionally(new IllegalStateException("the stream contained no answer"));
        return answer.join();
      };
    }

    /** Keeps the answer or the error, whichever langchain4j reports first. */
    record Collector(CompletableFuture<ChatResponse> answer)
        implements StreamingChatResponseHandler {

      @Override
      public void onCompleteResponse(ChatResponse response) {
        answer.complete(response);
      }

      @Override
      public void onError(Throwable error) {
        answer.completeExceptionally(error);
      }
    }
  }
}
