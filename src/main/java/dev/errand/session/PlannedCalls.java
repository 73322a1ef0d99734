package dev.errand.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.conversation.Content;
import dev.errand.conversation.TextCut;
import dev.errand.conversation.ToolEffect;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jdbi.v3.core.Jdbi;

/** Records the tool calls that a message asks for, in the transaction that saves the message. */
@Singleton
class PlannedCalls {

  private static final String PLAN =
      """
      insert into tool_call (session_id, message_seq, idx, call_id, name, title, effect, epoch)
      select :session, :seq, idx - 1, call_id, name, title, effect, :epoch
      from unnest(:ids, :names, :titles, :effects) with ordinality as asked (call_id, name, title, effect, idx)
      """;

  private final Jdbi jdbi;

  PlannedCalls(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Records the calls that a message asks for, in their order.
   *
   * @param effects of the calls
   */
  @Transactional(Transactional.TxType.MANDATORY)
  void plan(Lease lease, long seq, List<Content.ToolCall> calls, List<ToolEffect> effects) {
    if (calls.isEmpty()) {
      return;
    }
    jdbi.useHandle(handle ->
        handle
            .createUpdate(PLAN)
            .bind("session", lease.session())
            .bind("seq", seq)
            .bind("epoch", lease.epoch())
            .bindArray("ids", String.class, calls.stream().map(Content.ToolCall::id).toList())
            .bindArray("names", String.class, calls.stream().map(Content.ToolCall::name).toList())
            .bindArray("titles", String.class, calls.stream().map(CallTitle::of).toList())
            .bindArray("effects", String.class, effects.stream().map(ToolEffect::word).toList())
            .execute());
  }

  /** The title of a tool call, in one line for people: its most telling argument. */
  static final class CallTitle {

    private static final int MAX_CHARS = 120;

    /** The most telling first. */
    private static final List<String> TELLING =
        List.of("description", "label", "command", "file_path", "pattern", "url", "query", "name");

    private CallTitle() {}

    /** Returns the name of the tool if no argument is a text. */
    static String of(Content.ToolCall call) {
      var arguments = call.arguments();
      var line =
          Stream.concat(
                  TELLING.stream().map(arguments::path),
                  StreamSupport.stream(arguments.spliterator(), false))
              .filter(JsonNode::isTextual)
              .map(text -> TextCut.head(text.textValue(), 10 * MAX_CHARS).strip())
              .filter(text -> !text.isEmpty())
              .findFirst()
              .orElse(call.name());
      return TextCut.withEllipsis(line.replaceAll("\\s+", " "), MAX_CHARS);
    }
  }
}
