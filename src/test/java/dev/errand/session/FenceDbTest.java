package dev.errand.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.errand.conversation.Content;
import dev.errand.conversation.MessageId;
import dev.errand.conversation.ToolEffect;
import dev.errand.conversation.Usage;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every write of a run that has lost its session is refused and changes nothing. */
@QuarkusTest
class FenceDbTest {

  private static final String ROWS =
      """
      select coalesce(sum(hashtext(row_text)), 0) from (
        select row(session.*)::text as row_text from session where id = :id
        union all select row(message.*)::text from message where session_id = :id
        union all select row(sent_request.*)::text from sent_request where session_id = :id
        union all select row(tool_call.*)::text from tool_call where session_id = :id
        union all select row(todo.*)::text from todo where session_id = :id) all_rows
      """;

  private static final CallKey CALL = new CallKey(1, 0);
  private static final CallResult RESULT = new CallResult("late", false);

  private static final List<TodoStore.Todo> TODOS = List.of(new TodoStore.Todo("late", "pending"));

  @Inject Leases leases;
  @Inject SessionTransitions transitions;
  @Inject SessionRests rests;
  @Inject SessionStops stops;
  @Inject SessionHandover handover;
  @Inject SessionStore store;
  @Inject ToolLedger ledger;
  @Inject TurnStore turns;
  @Inject TurnBoundary boundary;
  @Inject TodoStore todos;

  /** One kind of write of a run. */
  private record Write(String name, BiConsumer<FenceDbTest, Lease> act) {

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Write> writes() {
    return Stream.of(
        new Write("save a turn", (test, lease) -> test.turns.save(lease, MessageId.next(), turn())),
        new Write(
            "settle the inbox",
            (test, lease) -> test.boundary.settle(lease, "scripted:none", false)),
        new Write("start a call", (test, lease) -> test.ledger.start(lease, List.of(CALL))),
        new Write(
            "finish a call",
            (test, lease) -> test.ledger.finish(entry(lease), ToolCallState.DONE, RESULT)),
        new Write(
            "finish a call as unknown",
            (test, lease) -> test.ledger.finish(entry(lease), ToolCallState.UNKNOWN, RESULT)),
        new Write("defer a call", (test, lease) -> test.ledger.defer(entry(lease))),
        new Write("replace the todos", (test, lease) -> test.todos.replace(lease, TODOS)),
        new Write("keep the session for a delegation", (test, lease) -> test.store.keep(lease)),
        new Write("go idle", (test, lease) -> test.rests.idle(lease)),
        new Write("park", (test, lease) -> test.rests.park(lease)),
        new Write("yield", (test, lease) -> test.handover.yield(lease)),
        new Write("fail", (test, lease) -> test.transitions.fail(lease, "late")));
  }

  @ParameterizedTest
  @MethodSource("writes")
  void writeWithAnOlderEpochIsRefused(Write write) {
    var node = UUID.randomUUID();
    var old = withStartedCall(leases.claim(leases.queued(), node));
    var current =
        QuarkusTransaction.requiringNew()
            .call(() -> {
              handover.takeOver(old, node, "test");
              return leases.claim(old.session(), UUID.randomUUID());
            });
    assertThat(current.epoch()).isEqualTo(old.epoch() + 2);

    assertRefused(write, old);
    leases.drop(old.session());
  }

  @ParameterizedTest
  @MethodSource("writes")
  void writeAfterTheSessionWasStoppedIsRefused(Write write) {
    var lease = withStartedCall(leases.claimed());
    QuarkusTransaction.requiringNew().run(() -> stops.stop(lease.session(), "stopped"));

    assertRefused(write, lease);

    leases.drop(lease.session());
  }

  @ParameterizedTest
  @MethodSource("writes")
  void writeOfTheOwnerIsAccepted(Write write) {
    var lease = withStartedCall(leases.claimed());

    QuarkusTransaction.requiringNew().run(() -> write.act().accept(this, lease));

    leases.drop(lease.session());
  }

  private void assertRefused(Write write, Lease lease) {
    var before = leases.count(ROWS, lease.session());

    assertThatThrownBy(
            () -> QuarkusTransaction.requiringNew().run(() -> write.act().accept(this, lease)))
        .isInstanceOf(LeaseLost.class);

    assertThat(leases.count(ROWS, lease.session())).isEqualTo(before);
  }

  /** Starts the call {@link #CALL} of the first message of the session. */
  private Lease withStartedCall(Lease lease) {
    turns.save(lease, MessageId.next(), turn());
    ledger.start(lease, List.of(CALL));
    return lease;
  }

  private static TurnStore.ModelTurn turn() {
    var call = new Content.ToolCall("call_1", "list", JsonNodeFactory.instance.objectNode());
    return new TurnStore.ModelTurn(
        List.of(call),
        List.of(ToolEffect.PURE),
        Usage.NONE,
        ModelCall.first(1, "scripted:none"),
        SentRequest.of(JsonNodeFactory.instance.objectNode(), "nonce"));
  }

  private static ToolLedger.LeasedCall entry(Lease lease) {
    return new ToolLedger.LeasedCall(lease, CALL);
  }

  /** As after a commit whose answer was lost. */
  @Test
  void repeatedSaveFindsWhatTheFirstOneStored() {
    var lease = leases.claimed();
    var id = MessageId.next();
    var saved = turns.save(lease, id, turn());
    ledger.start(lease, List.of(CALL));
    ledger.finish(entry(lease), ToolCallState.DONE, RESULT);
    var before = leases.count(ROWS, lease.session());

    assertThat(turns.saved(lease, id).orElseThrow()).isEqualTo(saved.message());
    ledger.finish(entry(lease), ToolCallState.DONE, RESULT);

    assertThat(turns.saved(lease, MessageId.next())).isEmpty();
    assertThat(leases.count(ROWS, lease.session())).isEqualTo(before);
    leases.drop(lease.session());
  }

  @Test
  void secondResultOfACallIsRefused() {
    var lease = withStartedCall(leases.claimed());
    ledger.finish(entry(lease), ToolCallState.DONE, new CallResult("first", false));

    assertThatThrownBy(() -> ledger.finish(entry(lease), ToolCallState.DONE, RESULT))
        .isInstanceOf(LeaseLost.class);
    leases.drop(lease.session());
  }
}
