package dev.errand.model;

import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.util.concurrent.CompletableFuture;

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
