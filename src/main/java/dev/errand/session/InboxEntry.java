package dev.errand.session;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.TaskId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An entry that enters a session's transcript at its next turn boundary. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = InboxEntry.UserMessage.class, name = "message"),
  @JsonSubTypes.Type(value = InboxEntry.Notice.class, name = "notice"),
  @JsonSubTypes.Type(value = InboxEntry.ToolAnswer.class, name = "tool_result")
})
public sealed interface InboxEntry {

  /**
   * A message of the user; in a child, of the parent.
   *
   * @param said null for a plain message; otherwise the kind of the message
   */
  record UserMessage(String text, @Nullable MessageKind said) implements InboxEntry {

    public UserMessage(String text) {
      this(text, null);
    }
  }

  /** A background task ended. */
  record Notice(String text, Instant taskEndedAt, UUID taskId) implements InboxEntry {}

  /**
   * A foreground task ended: the answer to the deferred tool call.
   *
   * @param call {@link CallKey} in its written form
   */
  record ToolAnswer(String call, String text, boolean isError, Instant taskEndedAt)
      implements InboxEntry {

    CallKey key() {
      return CallKey.parse(call);
    }

    CallResult result() {
      return new CallResult(text, isError);
    }
  }

  /** Returns the message that the entry becomes in the transcript. */
  default Message asMessage() {
    return switch (this) {
      case UserMessage message ->
          message.said() == null ? Message.user(message.text()) : Message.command(message.text());
      case Notice notice -> Message.notice(notice.text());
      case ToolAnswer answer -> Message.notice(answer.text());
    };
  }

  /** Returns the task that a notice reports; null for other entries. */
  default @Nullable TaskId task() {
    return this instanceof Notice notice ? new TaskId(notice.taskId()) : null;
  }

  /** Returns the word in the database. */
  default String kind() {
    return switch (this) {
      case UserMessage _ -> "message";
      case Notice _ -> "notice";
      case ToolAnswer _ -> "tool_result";
    };
  }
}
