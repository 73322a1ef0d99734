package dev.errand.view;

import dev.errand.conversation.Content;
import dev.errand.conversation.Covered;
import dev.errand.conversation.DeliveryId;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.MessageKind;
import dev.errand.conversation.Role;
import dev.errand.conversation.SessionId;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.Usage;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message as clients see it. One component per field of the wire format.
 *
 * @param covers the messages that a summary is sent in place of; null for other messages
 * @param taskId the task that a notice reports; null for other messages
 * @param deliveryId the delivery that brought a notice; null for other messages
 * @param model that wrote the message, with its {@code usage} and the start of its call; null for
 *     messages of others
 * @param modelMs how long the call took
 * @param modelAttempts the attempt, of the run that got it, that gave the answer
 */
public record MessageView(
    MessageId id,
    SessionId sessionId,
    long seq,
    Role role,
    List<Content> content,
    MessageKind kind,
    @Nullable Covered covers,
    @Nullable TaskId taskId,
    @Nullable DeliveryId deliveryId,
    @Nullable String model,
    @Nullable Usage usage,
    @Nullable Instant startedAt,
    @Nullable Long modelMs,
    @Nullable Integer modelAttempts,
    Instant createdAt) {}
