package dev.errand.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.Dialect.CalledModel;
import dev.errand.model.EndpointHttp.Post;
import dev.errand.model.EndpointHttp.Response;
import dev.errand.model.ModelException.Code;
import java.io.IOException;

/** A model that is called by the API of its provider. */
final class ChatLanguageModel implements LanguageModel {

  /** The status that an error in an answer with status 200 stands for, as far as is known. */
  private static final int REFUSED = 400;

  private final Dialect dialect;
  private final CalledModel model;
  private final Endpoint endpoint;
  private final EndpointHttp http;
  private final EndpointQuirks quirks;

  /** Whether streams of this model that ended without a finish reason were complete. */
  private volatile boolean endsWithoutReason;

  ChatLanguageModel(Dialect dialect, CalledModel model, EndpointHttp http, EndpointQuirks quirks) {
    this.dialect = dialect;
    this.model = model;
    this.endpoint = model.endpoint();
    this.http = http;
    this.quirks = quirks;
  }

  @Override
  public ModelReply reply(RequestSource request) {
    var read = answer(request);
    if (read.mayBeCut() && !endsWithoutReason) {
      // Gateways end a stream properly although their provider has broken it off.
      read = answer(request);
      endsWithoutReason = read.mayBeCut();
    }
    return read.draft().reply();
  }

  /**
   * An answer.
   *
   * @param mayBeCut whether its stream ended properly, but without a finish reason
   */
  private record ReadAnswer(AnswerDraft draft, boolean mayBeCut) {}

  /** The endpoint has refused the request, perhaps for something that can be changed. */
  private static final class RequestRefused extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient ModelException fault;
    private final int status;
    private final String body;

    RequestRefused(ModelException fault, int status, String body) {
      super(null, null, false, false);
      this.fault = fault;
      this.status = status;
      this.body = body;
    }
  }

  /**
   * Sends the request, changed in the ways that its refusals name. Changes that did not help are
   * forgotten.
   */
  private ReadAnswer answer(RequestSource request) {
    var known = quirks.of(model);
    for (var changes = known; ; ) {
      try {
        var read = send(request, changes);
        if (!changes.equals(known)) {
          quirks.remember(model, changes);
        }
        return read;
      } catch (RequestRefused refused) {
        changes =
            RequestChange.in(refused.status, refused.body, written(request, changes))
                .flatMap(changes::with)
                .orElseThrow(() -> refused.fault);
      }
    }
  }

  private ObjectNode written(RequestSource request, RequestChanges changes) {
    var body = dialect.request(request.make(), model);
    changes.applyTo(body);
    return body;
  }

  private ObjectNode shown(RequestSource request, RequestChanges changes) {
    var body = written(request, changes);
    request.isSentAs(() -> body);
    return body;
  }

  private ReadAnswer send(RequestSource request, RequestChanges changes) {
    var body = new JsonPublisher(() -> shown(request, changes), request::sent);
    var response = http.send(new Post(dialect.path(), dialect.headers(endpoint), body));
    if (!response.isSuccess()) {
      var text = EndpointHttp.explanation(response);
      throw new RequestRefused(
          Refusal.read(endpoint, response.status(), response.headers(), text),
          response.status(),
          new String(text, UTF_8));
    }
    try (var arriving = response.body()) {
      return read(response, request.listener());
    }
  }

  private ReadAnswer read(Response response, AnswerListener listener) {
    var draft = new AnswerDraft(model.name());
    var reader = dialect.reader(draft);
    var events =
        new AnswerEvents(event -> {
          checkError(response, event);
          reader.accept(event);
          draft.letHear(listener);
        });
    try {
      events.read(response.body());
    } catch (ModelException fault) {
      // The rest of a complete answer is not needed.
      if (fault.code() == Code.MODEL_INTERRUPTED || !draft.isComplete(false)) {
        throw fault;
      }
    } catch (JsonProcessingException garbage) {
      throw draft.hasBegun() && events.isCut(garbage) ? cut() : unreadable(garbage);
    } catch (IOException garbage) {
      throw unreadable(garbage);
    }
    return checked(draft, events);
  }

  private void checkError(Response response, JsonNode event) {
    Refusal.in(endpoint, response.headers(), event)
        .ifPresent(fault -> {
          throw new RequestRefused(fault, REFUSED, event.toString());
        });
  }

  private ReadAnswer checked(AnswerDraft draft, AnswerEvents events) {
    if (!draft.hasBegun() || !draft.saysSomething()) {
      throw endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent an answer in which nothing can be read.");
    }
    var isComplete = draft.isComplete(events.isDocument());
    if (!isComplete && !events.isDone()) {
      throw cut();
    }
    if (draft.isInterrupted()) {
      throw endpoint.fault(Code.MODEL_UNAVAILABLE, "interrupted its answer.");
    }
    draft
        .refusal()
        .ifPresent(words -> {
          throw endpoint.fault(Code.MODEL_REJECTED_REQUEST, refused(words));
        });
    return new ReadAnswer(draft, !isComplete);
  }

  private String refused(String words) {
    return words.isEmpty() ? "refused to answer." : "refused to answer: " + endpoint.excerpt(words);
  }

  private ModelException cut() {
    return endpoint.fault(
        Code.MODEL_UNREACHABLE, "ended its stream before the answer was complete.");
  }

  private ModelException unreadable(IOException garbage) {
    return endpoint.fault(Code.MODEL_BAD_RESPONSE, "sent an answer that cannot be read.", garbage);
  }
}
