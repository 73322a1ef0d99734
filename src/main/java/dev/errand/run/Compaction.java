package dev.errand.run;

import dev.errand.context.Conversation;
import dev.errand.conversation.MessageId;
import dev.errand.postgres.Failpoint;
import dev.errand.session.TurnStore;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/**
 * Keeps what is sent within the context window of the model (architecture, rule 19): leaves out old
 * results of tools, and if this is not enough, has older messages summarised. The limits are far
 * enough apart that the beginning of a conversation rarely changes, because providers keep it in
 * their caches. What was decided is stored before it takes effect.
 */
@Singleton
class Compaction {

  private static final Logger LOG = Logger.getLogger(Compaction.class);

  private final TurnStore turns;
  private final TurnTransactions transactions;
  private final Summariser summariser;

  Compaction(TurnStore turns, TurnTransactions transactions, Summariser summariser) {
    this.turns = turns;
    this.transactions = transactions;
    this.summariser = summariser;
  }

  /**
   * Shortens a conversation that would fill most of the window.
   *
   * @param frame the characters that the request contains in addition to the conversation
   * @return true when older messages were summarised: the conversation has to be loaded again and
   *     the budget checked again, and further messages may have to be summarised
   */
  boolean beforeCall(ToolRunner.Shift shift, Conversation conversation, long frame) {
    if (!isHigh(conversation, frame)) {
      return false;
    }
    stub(shift, conversation, frame);
    var tokens = conversation.tokens(frame);
    return conversation.isSummaryDue(tokens) && summarise(shift, conversation, tokens);
  }

  /**
   * Shortens a conversation that the model has refused as too long, as far as this is possible
   * without another model call.
   *
   * @return false when there is nothing to leave out and nothing to summarise
   */
  boolean afterRefusal(ToolRunner.Shift shift, Conversation conversation, long frame) {
    conversation.refused(conversation.tokens(frame));
    var stubbed = stub(shift, conversation, frame);
    return stubbed || conversation.older().isPresent();
  }

  private static boolean isHigh(Conversation conversation, long frame) {
    return conversation.limits().isHigh(conversation.tokens(frame));
  }

  private boolean stub(ToolRunner.Shift shift, Conversation conversation, long frame) {
    var tokens = conversation.tokens(frame);
    var further = conversation.furtherStubs(tokens, frame);
    further.ifPresent(stubs -> {
      turns.stub(shift.lease(), stubs);
      Failpoint.RESULTS_STUBBED.pass();
      conversation.stubbed(stubs);
      LOG.infof(
          "The next request has about %d of %d tokens: results up to message %d are left out",
          tokens, conversation.limits().tokens(), stubs.toSeq());
    });
    return further.isPresent();
  }

  private boolean summarise(ToolRunner.Shift shift, Conversation conversation, long tokens) {
    var older = conversation.older();
    if (older.isEmpty()) {
      return false;
    }
    var summary = summariser.summarise(shift, older.get(), conversation.limits());
    if (summary.isEmpty()) {
      conversation.summaryFailed(tokens);
      return false;
    }
    Failpoint.SUMMARY_WRITTEN.pass();
    var id = MessageId.next();
    PersistentWrite.until(
        shift.run(),
        again -> {
          transactions.save(shift.lease(), id, summary.get(), again);
          return id;
        });
    shift.run().calls(null);
    Failpoint.SUMMARISED.pass();
    conversation.summarised();
    LOG.infof("Messages %s are summarised", summary.get().covers());
    return true;
  }
}
