package dev.errand.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.conversation.ToolDefinition;
import dev.errand.model.ModelReply;
import dev.errand.model.ModelRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** A conversation with the planner, which keeps nothing from one turn to the next. */
final class PlannerConversation {

  private final List<ToolDefinition> tools;
  private final List<Message> transcript = new ArrayList<>();

  PlannerConversation(String... tools) {
    this.tools =
        Stream.of(tools)
            .map(
                name -> new ToolDefinition(name, "Does it.", JsonNodeFactory.instance.objectNode()))
            .toList();
  }

  PlannerConversation hears(Message... messages) {
    transcript.addAll(List.of(messages));
    return this;
  }

  PlannerConversation withoutTools() {
    var closing = new PlannerConversation();
    closing.transcript.addAll(transcript);
    return closing;
  }

  ModelReply turn() {
    var reply = new OfflinePlanner().reply(new ModelRequest("You are helpful.", transcript, tools));
    var content = new ArrayList<Content>();
    content.add(new Content.Text(reply.text()));
    content.addAll(reply.toolCalls());
    transcript.add(Message.assistant(content));
    return reply;
  }

  /** Takes a turn and answers its tool calls. */
  ModelReply turn(Function<Content.ToolCall, String> answers) {
    var reply = turn();
    transcript.add(
        Message.tool(
            reply.toolCalls().stream()
                .map(call -> new Content.ToolResult(call.id(), answers.apply(call), false))
                .toList()));
    return reply;
  }

  PlannerConversation fails(String error) {
    var reply = turn();
    transcript.add(
        Message.tool(
            reply.toolCalls().stream()
                .map(call -> new Content.ToolResult(call.id(), error, true))
                .toList()));
    return this;
  }
}
