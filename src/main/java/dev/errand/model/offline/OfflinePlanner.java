package dev.errand.model.offline;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.Usage;
import dev.errand.model.LanguageModel;
import dev.errand.model.ModelReply;
import dev.errand.model.ModelRequest;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A model made of rules. What it may call tells what it is: with {@code task} a primary that
 * delegates, with {@code grep} an explorer, with neither somebody who sums up.
 */
final class OfflinePlanner implements LanguageModel {

  private static final int CHARACTERS_PER_TOKEN = 4;

  @Override
  public ModelReply reply(ModelRequest request) {
    var step = next(request);
    var calls = withIds(step.calls(), request.conversation().size());
    return new ModelReply(step.text(), calls, usage(request, step));
  }

  private static Step next(ModelRequest request) {
    var transcript = Transcript.of(request.conversation());
    var tools = names(request.tools());
    if (tools.contains("task")) {
      return new Delegation(transcript).next();
    }
    if (tools.contains("grep")) {
      return new Exploration(transcript, tools).next();
    }
    return new Closing(transcript).next();
  }

  private static Set<String> names(List<ToolDefinition> tools) {
    return tools.stream().map(ToolDefinition::name).collect(Collectors.toUnmodifiableSet());
  }

  /** Unique in the whole transcript, which only grows. */
  private static List<Content.ToolCall> withIds(List<Step.Call> calls, int messages) {
    return IntStream.range(0, calls.size())
        .mapToObj(index ->
            new Content.ToolCall(
                "call_%d_%d".formatted(messages, index + 1),
                calls.get(index).tool(),
                calls.get(index).arguments()))
        .toList();
  }

  /** An estimate: there is nobody who counts. */
  private static Usage usage(ModelRequest request, Step step) {
    long heard = request.system().length();
    for (var message : request.conversation()) {
      heard += length(message);
    }
    for (var tool : request.tools()) {
      heard += tool.description().length() + tool.parameters().toString().length();
    }
    long said = step.text().length();
    for (var call : step.calls()) {
      said += call.tool().length() + call.arguments().toString().length();
    }
    return new Usage(tokens(heard), tokens(said));
  }

  private static long length(Message message) {
    return message.content().stream()
        .mapToLong(part ->
            switch (part) {
              case Content.Text text -> text.text().length();
              case Content.ToolCall call ->
                  call.name().length() + call.arguments().toString().length();
              case Content.ToolResult result -> result.text().length();
            })
        .sum();
  }

  private static long tokens(long characters) {
    return Math.ceilDiv(characters, CHARACTERS_PER_TOKEN);
  }
}
