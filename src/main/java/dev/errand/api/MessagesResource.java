package dev.errand.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.auth.Audit;
import dev.errand.auth.Roles;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.SessionId;
import dev.errand.http.ClientLimits;
import dev.errand.http.IdempotencyHeader;
import dev.errand.http.Page;
import dev.errand.http.Prefer;
import dev.errand.http.Refusal;
import dev.errand.http.RequestBodies;
import dev.errand.session.InboxEntry;
import dev.errand.session.Mailbox;
import dev.errand.session.Session;
import dev.errand.session.SessionKind;
import dev.errand.session.SessionState;
import dev.errand.session.SessionStore;
import dev.errand.task.IdempotencyKey;
import dev.errand.task.KeyedResult;
import dev.errand.view.MessageViews;
import dev.errand.view.MessageViews.MessageView;
import dev.errand.view.MessageViews.Range;
import dev.errand.view.SessionView;
import dev.errand.view.SessionViews;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The messages of a session: read the transcript and send a message. */
@Path("/v1/sessions/{id}/messages")
@RunOnVirtualThread
class MessagesResource {

  private static final int MAX_WAIT_SECONDS = 120;

  private final RequestBodies bodies;
  private final SessionStore sessions;
  private final SessionViews views;
  private final MessageViews messages;
  private final Mailbox mailbox;
  private final SessionWaiters waits;
  private final ClientLimits limits;
  private final KeyedRequests keyed;
  private final Audit audit;

  MessagesResource(
      RequestBodies bodies,
      SessionStore sessions,
      SessionViews views,
      MessageViews messages,
      Mailbox mailbox,
      SessionWaiters waits,
      ClientLimits limits,
      KeyedRequests keyed,
      Audit audit) {
    this.bodies = bodies;
    this.sessions = sessions;
    this.views = views;
    this.messages = messages;
    this.mailbox = mailbox;
    this.waits = waits;
    this.limits = limits;
    this.keyed = keyed;
    this.audit = audit;
  }

  /** The body of the POST. */
  record NewMessage(
      @NotBlank(message = "must not be empty")
          @Size(max = 1_000_000, message = "must have at most 1000000 characters")
          String text) {}

  /** The answer to an accepted message. */
  record AcceptedMessage(MessageId messageId, SessionId sessionId, SessionState state) {}

  /**
   * The answer when the session is idle again.
   *
   * @param reply the last message of the agent after the message that was sent; the system message
   *     with the error if the run failed; null if there is none, for example because another client
   *     has cancelled the session
   */
  record Replied(SessionView session, @Nullable MessageView reply) {}

  @GET
  @RolesAllowed({Roles.VIEWER, Roles.AGENT, Roles.SESSION})
  public Page<MessageView> list(
      @PathParam("id") SessionId id,
      @QueryParam("after_seq") @DefaultValue("0") @Min(0) long afterSeq,
      @QueryParam("before_seq") @Min(1) @Nullable Long beforeSeq,
      @QueryParam("limit") @DefaultValue("50") @Min(1) @Max(200) int limit,
      @QueryParam("sort")
          @DefaultValue("seq")
          @Pattern(regexp = "^(seq|-seq)$", message = "must be seq or -seq")
          String sort) {
    var session = find(id).id();
    var found = messages.page(session, new Range(afterSeq, beforeSeq, sort.startsWith("-")), limit);
    return Page.of(found, message -> Long.toString(message.seq()));
  }

  @POST
  @RolesAllowed({Roles.AGENT, Roles.SESSION})
  @Consumes("application/json")
  public Response send(
      @PathParam("id") SessionId id,
      @BeanParam IdempotencyHeader header,
      @HeaderParam("Prefer") List<String> prefer,
      JsonNode body)
      throws JsonProcessingException {
    var wait = Prefer.waitFor(prefer, MAX_WAIT_SECONDS);
    var session = find(id);
    if (session.kind() == SessionKind.EXTERNAL) {
      throw Refusal.invalid(
          "id", "the session is external: its loop runs elsewhere and takes no messages here");
    }
    var text = bodies.read(body, NewMessage.class).text();
    var fields = bodies.object(body).deepCopy().put("session_id", id.toString());
    var key = header.of(IdempotencyKey.KeyScope.MESSAGES, fields);
    try (var _ = limits.waiting(wait.orElse(Duration.ZERO))) {
      var accepted = accept(session, key, text);
      if (wait.isPresent() && waits.awaitIdle(session.id(), wait.get())) {
        return Response.ok(replied(accepted)).header("Preference-Applied", "wait").build();
      }
      return Response.accepted(accepted).build();
    }
  }

  private AcceptedMessage accept(Session session, @Nullable IdempotencyKey key, String text) {
    var message = MessageId.next();
    return keyed.once(
        key,
        KeyedResult.message(session.id(), message),
        () -> send(session.id(), message, text),
        made ->
            new AcceptedMessage(
                Objects.requireNonNull(made.message()), session.id(), session.state()));
  }

  private AcceptedMessage send(SessionId session, MessageId message, String text) {
    var state =
        mailbox
            .send(session, message, new InboxEntry.UserMessage(text))
            .orElseThrow(() -> Refusal.notFound("session", session));
    if (state == SessionState.CLOSED) {
      throw new Refusal(
          Response.Status.CONFLICT, "The session is closed and takes no messages.", List.of());
    }
    audit.recordIfKnown("message.send", session, message);
    return new AcceptedMessage(message, session, state);
  }

  private Replied replied(AcceptedMessage accepted) {
    var id = accepted.sessionId();
    var session = views.find(id).orElseThrow(() -> Refusal.notFound("session", id));
    return new Replied(session, messages.lastReply(id, accepted.messageId()).orElse(null));
  }

  private Session find(SessionId id) {
    return sessions.find(id).orElseThrow(() -> Refusal.notFound("session", id));
  }
}
