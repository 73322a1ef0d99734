package dev.errand.run;

import dev.errand.conversation.ToolDefinition;
import dev.errand.session.TurnStore;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Keeps what is sent within the context window of the model. The limits are far enough apart that
 * the beginning of a conversation rarely changes, because providers keep it in their caches.
 */
@ApplicationScoped
class Compaction {

  private static final Logger LOG = Logger.getLogger(Compaction.class);

  private final TurnStore turns;

  Compaction(TurnStore turns) {
    this.turns = turns;
  }

  /** What a request contains in addition to the conversation. */
  record Frame(String system, List<ToolDefinition> tools) {}

  /** Leaves out old results if the next request would fill most of the window. */
  void beforeCall(ToolRunner.Shift shift, Conversation conversation, Frame frame) {
    var tokens = conversation.tokens(frame.system(), frame.tools());
    if (conversation.limits().isHigh(tokens)) {
      stub(shift, conversation, frame, tokens);
    }
  }

  /**
   * Shortens a conversation that the model has refused as too long.
   *
   * @return false when there is nothing to leave out
   */
  boolean afterRefusal(ToolRunner.Shift shift, Conversation conversation, Frame frame) {
    var tokens = conversation.tokens(frame.system(), frame.tools());
    conversation.refused(tokens);
    return stub(shift, conversation, frame, tokens);
  }

  private boolean stub(
      ToolRunner.Shift shift, Conversation conversation, Frame frame, long tokens) {
    var further = conversation.furtherStubs(tokens, frame.system(), frame.tools());
    further.ifPresent(stubs -> {
      turns.stub(shift.lease(), stubs);
      conversation.stubbed(stubs);
      LOG.infof(
          "About %d of %d tokens: results up to message %d are left out",
          tokens, conversation.limits().tokens(), stubs.toSeq());
    });
    return further.isPresent();
  }
}
