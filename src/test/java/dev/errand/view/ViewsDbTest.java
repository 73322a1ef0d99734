package dev.errand.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.errand.auth.Caller;
import dev.errand.conversation.SessionId;
import dev.errand.kit.Gate;
import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import io.quarkus.arc.Arc;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.metamodel.EntityType;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.hibernate.annotations.TenantId;
import org.junit.jupiter.api.Test;

/** Hibernate checks no schema at start, so that this test reads every entity. */
@QuarkusTest
class ViewsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject EntityManager entities;
  @Inject EntityManagerFactory model;

  @Test
  void everyEntityCanBeRead() {
    try (var receiver = new WebhookReceiver()) {
      var parent =
          kit.externalSession(
              Map.of(
                  "title", "a title",
                  "metadata", Map.of("key", "value"),
                  "callback", Map.of("url", receiver.url())));
      kit.child("dig", model -> model.says("gold"));
      kit.awaitDelivery(kit.submit(parent, "dig", Map.of("label", "a label")));
      haveSentRequest(kit.childOf(parent));
    }
    haveUnreadNotice();

    var empty =
        asked(() ->
            model.getMetamodel().getEntities().stream()
                .map(EntityType::getName)
                .filter(entity ->
                    entities
                        .createQuery("from " + entity)
                        .setMaxResults(1)
                        .getResultList()
                        .isEmpty())
                .toList());

    assertThat(empty).isEmpty();
  }

  private void haveSentRequest(SessionId child) {
    kit.tamper(
        "insert into sent_request (session_id, seq, sent_at) select session_id, seq, created_at from message where session_id = ? and role = 'assistant'",
        child.value());
  }

  /** The notice of a task at the end of a long chain of wakes does not wake its parent. */
  private void haveUnreadNotice() {
    var gate = new Gate();
    kit.child("late", model -> model.at(gate).says("done"));
    var task = kit.submit(kit.session(Map.of()), "late");
    gate.awaitArrivals(1);
    kit.tamper("update task set generation = 3 where id = ?", task.value());
    gate.open();
    kit.awaitDelivery(task);
  }

  @Test
  void nothingIsFoundWithoutATenant() throws Exception {
    kit.externalSession();

    long ofNobody = inRequest(() -> SessionRow.count());
    long ofOther = inRequest(() -> TenantOfQuery.asked("other", () -> SessionRow.count()));
    long ofDefault = asked(() -> SessionRow.count());

    assertThat(ofNobody).isZero();
    assertThat(ofOther).isZero();
    assertThat(ofDefault).isPositive();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var outside =
          threads.submit(() -> QuarkusTransaction.requiringNew().call(() -> SessionRow.count()));
      assertThatThrownBy(outside::get).rootCause().hasMessageContaining("no tenant identifier");
    }
  }

  /** Every row of the read model has a tenant, and the name of another one hides it. */
  @Test
  void everyEntityHasATenant() {
    assertThat(model.getMetamodel().getEntities())
        .filteredOn(
            entity -> entity.getJavaType().getPackage().equals(SessionRow.class.getPackage()))
        .hasSizeGreaterThan(13)
        .allSatisfy(entity ->
            assertThat(
                    entity
                        .getJavaType()
                        .getDeclaredField("tenant")
                        .isAnnotationPresent(TenantId.class))
                .isTrue());
  }

  private static <T> T asked(Supplier<T> read) {
    return inRequest(() -> TenantOfQuery.asked(Caller.DEFAULT_TENANT, read));
  }

  /** Reads in a request whose caller is not known. */
  private static <T> T inRequest(Supplier<T> read) {
    var context = Arc.container().requestContext();
    if (context.isActive()) {
      return QuarkusTransaction.requiringNew().call(read::get);
    }
    context.activate();
    try {
      return QuarkusTransaction.requiringNew().call(read::get);
    } finally {
      context.terminate();
    }
  }
}
