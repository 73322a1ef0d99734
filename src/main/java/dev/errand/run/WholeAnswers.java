package dev.errand.run;

import dev.errand.conversation.Content;
import dev.errand.conversation.Message;
import dev.errand.model.AnswerListener;
import dev.errand.model.ModelException;
import dev.errand.model.ModelReply;
import dev.errand.model.ModelReply.Ending;
import dev.errand.model.ModelRequest;
import dev.errand.model.RequestSource;
import dev.errand.session.Session;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/** Lets a model continue an answer that reached the token limit, once. */
@Singleton
class WholeAnswers {

  private static final String CONTINUE =
      "Your answer reached the token limit. Continue it exactly where it stopped, without repeating"
          + " anything.";

  private final ModelCaller model;

  WholeAnswers(ModelCaller model) {
    this.model = model;
  }

  /** Returns the answer and its continuation as one, which may be cut again. */
  ModelReply call(Session session, RequestSource request, Run run) {
    var reply = model.call(session, request, run);
    return reply.ending() == Ending.TOKEN_LIMIT ? continued(session, request, reply, run) : reply;
  }

  /** If the continuation fails, the cut answer is kept: it is better than an error. */
  private ModelReply continued(Session session, RequestSource request, ModelReply reply, Run run) {
    try {
      return reply.with(model.call(session, new ContinuedRequest(request, reply), run));
    } catch (ModelException | CallDelayed _) {
      return reply;
    }
  }

  /** A request and the answer that was cut. */
  private record ContinuedRequest(RequestSource request, ModelReply reply)
      implements RequestSource {

    @Override
    public ModelRequest make() {
      var cut = request.make();
      var conversation = new ArrayList<>(cut.conversation());
      conversation.add(Message.assistant(List.of(new Content.Text(reply.text()))));
      conversation.add(Message.user(CONTINUE));
      return new ModelRequest(cut.system(), conversation, cut.tools(), cut.closing(), tokens());
    }

    @Override
    public long tokens() {
      return request.tokens() + reply.usage().outputTokens();
    }

    @Override
    public void sent() {
      request.sent();
    }

    /** Hears the whole answer. */
    @Override
    public AnswerListener listener() {
      return new RestListener(request.listener(), reply.text());
    }
  }

  private record RestListener(AnswerListener listener, String begun) implements AnswerListener {

    @Override
    public boolean wantsWords() {
      return listener.wantsWords();
    }

    @Override
    public void hear(String words, boolean whole) {
      listener.hear(begun + words, whole);
    }
  }
}
