package dev.errand.delivery.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.SessionId;
import dev.errand.outbox.ClaimedDelivery;
import dev.errand.outbox.Delivery;
import dev.errand.outbox.DeliveryKind;
import dev.errand.outbox.OutgoingQueue.DueRow;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class InFlightTest {

  private static final InFlight.InFlightLimits LIMITS = new InFlight.InFlightLimits(4, 2, 3, 1);

  private final InFlight inFlight = InFlight.none();

  @Test
  void eachHostGetsAsManyPostsAsItMay() {
    var due = List.of(post("a", "x"), post("b", "x"), post("c", "x"), post("d", "y"));

    assertThat(inFlight.choose(due, LIMITS)).containsExactly(id(due, 0), id(due, 1), id(due, 3));
  }

  @Test
  void eachTenantSendsAsManyPostsAsItMay() {
    inFlight.enter(sent(DeliveryKind.MESSAGE, "a", "w"));
    var due = List.of(post("a", "x"), post("a", "y"), post("a", "z"), post("b", "z"));

    assertThat(inFlight.choose(due, LIMITS)).containsExactly(id(due, 0), id(due, 1), id(due, 3));
  }

  @Test
  void hooksAndHostsOfOneNameHaveRoomOfTheirOwn() {
    inFlight.enter(sent(DeliveryKind.HOOK, "a", "x"));
    var due = List.of(event("x"), event("y"), event("y"), post("a", "x"));

    assertThat(inFlight.open(List.of("x", "y"), LIMITS).hooks()).containsExactly("y");
    assertThat(inFlight.choose(due, LIMITS)).containsExactly(id(due, 1), id(due, 3));
  }

  @Test
  void whatIsSentMakesRoom() {
    var posts =
        List.of(
            sent(DeliveryKind.MESSAGE, "a", "x"),
            sent(DeliveryKind.EVENT, "a", "x"),
            sent(DeliveryKind.NOTICE, "a", "y"),
            sent(DeliveryKind.PROGRESS, "b", "y"));
    posts.forEach(inFlight::enter);
    var full = inFlight.open(List.of(), LIMITS);
    assertThat(full.posts()).isFalse();
    assertThat(full.fullHosts()).containsExactlyInAnyOrder("x", "y");
    assertThat(full.fullTenants()).containsExactly("a");

    posts.forEach(inFlight::leave);

    var open = inFlight.open(List.of(), LIMITS);
    assertThat(open.posts()).isTrue();
    assertThat(open.fullHosts()).isEmpty();
    assertThat(open.fullTenants()).isEmpty();
  }

  private static UUID id(List<DueRow> due, int at) {
    return due.get(at).id();
  }

  private static DueRow post(String tenant, String host) {
    return new DueRow(UUID.randomUUID(), tenant, host, false);
  }

  private static DueRow event(String hook) {
    return new DueRow(UUID.randomUUID(), "a", hook, true);
  }

  private static ClaimedDelivery sent(DeliveryKind kind, String tenant, String receiver) {
    var id = UUID.randomUUID();
    var delivery = new Delivery(id, SessionId.next(), "webhook", null, Instant.EPOCH, null);
    return new ClaimedDelivery(delivery, id, kind, id, tenant, receiver, 1L, "{}");
  }
}
