package dev.errand.model;

import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.util.concurrent.CompletableFuture;

/** One blocking call of a langchain4j model. */
interface Chat {

  ChatResponse answer(ChatRequest request);

  /** Streams, and gives the answer when it is whole. */
  static Chat streamed(StreamingChatModel model) {
    return request -> {
      var answer = new CompletableFuture<ChatResponse>();
      model.chat(request, new Collector(answer));
      // The stream was read on this thread (EndpointHttp): nothing more will come.
      answer.completeExceptionally(new IllegalStateException("the stream held no answer"));
      return answer.join();
    };
  }

  /** Keeps the answer, or what went wrong, whichever langchain4j tells first. */
  record Collector(CompletableFuture<ChatResponse> answer) implements StreamingChatResponseHandler {

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
