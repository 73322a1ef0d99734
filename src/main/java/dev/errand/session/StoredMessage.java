package dev.errand.session;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.errand.conversation.Content;
import dev.errand.conversation.Cost;
import dev.errand.conversation.Covered;
import dev.errand.conversation.Message;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.MessageRole;
import dev.errand.conversation.Usage;
import dev.errand.conversation.Word;
import dev.errand.postgres.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message in its place in the transcript; {@code seq} counts from 1 without gaps.
 *
 * @param usage of the model call that made it
 * @param covers the messages that it stands for; null unless it is a summary
 */
public record StoredMessage(
    MessageId id,
    long seq,
    Message message,
    Usage usage,
    @Nullable Covered covers,
    Instant createdAt) {

  /** Returns the same message with another content. */
  public StoredMessage with(Message other) {
    return new StoredMessage(id, seq, other, usage, covers, createdAt);
  }

  /** Reads rows of the message table. */
  record MessageMapper(Json json) {

    /** A part of a type that a newer node wrote is read as null. */
    private static final TypeReference<List<@Nullable Content>> STORED = new TypeReference<>() {};

    StoredMessage read(ResultSet row) throws SQLException {
      var message =
          new Message(
              Word.of(MessageRole.class, row.getString("role")),
              MessageKind.of(row.getString("kind")),
              Content.known(json.read(row.getString("content"), STORED)));
      return new StoredMessage(
          new MessageId(row.getObject("id", UUID.class)),
          row.getLong("seq"),
          message,
          new Usage(
              row.getLong("input_tokens"),
              row.getLong("cached_input_tokens"),
              row.getLong("output_tokens"),
              Cost.ofMicros(row.getObject("cost", Long.class)),
              row.getBoolean("usage_estimated") ? true : null),
          covers(row),
          row.getTimestamp("created_at").toInstant());
    }

    private static @Nullable Covered covers(ResultSet row) throws SQLException {
      var from = row.getObject("covers_from", Long.class);
      return from == null ? null : new Covered(from, row.getLong("covers_to"));
    }
  }
}
