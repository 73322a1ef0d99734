package dev.errand.demo;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.ToolDefinition;
import dev.errand.conversation.Usage;
import dev.errand.model.LanguageModel;
import dev.errand.model.ModelReply;
import dev.errand.model.ModelRequest;
import dev.errand.model.RequestSource;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A model made of rules. Its tools decide its role: with {@code task} it is a primary agent that
 * delegates, with {@code grep} an explorer, with neither it sums up what is known.
 */
final class OfflinePlanner implements LanguageModel {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int CHARACTERS_PER_TOKEN = 4;

  /** The next turn of the planner: a text, and tool calls without ids. */
  record PlannedTurn(String text, List<PlannedCall> calls) {

    record PlannedCall(String tool, ObjectNode arguments) {}

    static PlannedTurn says(String text) {
      return new PlannedTurn(text, List.of());
    }
  }

  @Override
  public ModelReply reply(RequestSource source) {
    var request = source.make();
    source.isSentAs(() -> body(request));
    var turn = next(request);
    var calls = numbered(turn.calls(), request.conversation().size());
    return new ModelReply(turn.text(), calls, new Usage(tokens(request), tokens(turn)));
  }

  /** Returns the request in a form like that of the APIs of providers; nothing is sent. */
  private static ObjectNode body(ModelRequest request) {
    var body = JSON.createObjectNode().put("model", "planner").put("system", request.system());
    var messages = body.putArray("messages");
    request
        .conversation()
        .forEach(message ->
            messages
                .addObject()
                .put("role", message.role().word())
                .set("content", JSON.valueToTree(message.content().toArray(Content[]::new))));
    body.set("tools", JSON.valueToTree(request.tools()));
    return body;
  }

  private static PlannedTurn next(ModelRequest request) {
    var history =
        new ChatHistory(
            request.conversation().stream().filter(m -> m.role() != MessageRole.SYSTEM).toList());
    var tools = request.tools().stream().map(ToolDefinition::name).collect(toSet());
    if (request.closing()) {
      return PlannedTurn.says(closing(history));
    }
    if (tools.contains("task")) {
      return PrimaryPlan.next(history);
    }
    return tools.contains("grep")
        ? ExplorePlan.next(history, tools)
        : PlannedTurn.says(closing(history));
  }

  /** Returns the last turn of an agent that may call no more tools. */
  private static String closing(ChatHistory history) {
    var known =
        history.notices().isEmpty()
            ? ExplorePlan.report(history.exchanges())
            : history.notices().stream().map(PrimaryPlan::summary).collect(joining("\n\n"));
    return known.isEmpty() ? "Nothing was found so far." : known;
  }

  /** Ids are unique in the whole conversation, which only grows. */
  private static List<Content.ToolCall> numbered(
      List<PlannedTurn.PlannedCall> calls, int messages) {
    return IntStream.range(0, calls.size())
        .mapToObj(index ->
            new Content.ToolCall(
                "call_%d_%d".formatted(messages, index + 1),
                calls.get(index).tool(),
                calls.get(index).arguments()))
        .toList();
  }

  /** Returns an estimate from the length of the texts. */
  private static long tokens(Object content) {
    return Math.ceilDiv(content.toString().length(), CHARACTERS_PER_TOKEN);
  }
}
