package dev.errand.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.kit.Story;
import dev.errand.kit.TaskKit;
import dev.errand.kit.WebhookReceiver;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Table;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** Hibernate checks no schema at start, so that this test reads every view. */
@QuarkusTest
class ViewsDbTest implements Story {

  @Inject TaskKit kit;
  @Inject EntityManager entities;
  @Inject EntityManagerFactory model;
  @Inject Jdbi jdbi;

  @Test
  void everyEntityCanBeReadFromItsView() {
    try (var receiver = new WebhookReceiver()) {
      var parent =
          kit.externalSession(
              Map.of(
                  "title", "a title",
                  "metadata", Map.of("key", "value"),
                  "callback", Map.of("url", receiver.url())));
      kit.child("dig", model -> model.says("gold"));
      kit.awaitDelivery(kit.submit(parent, "dig", Map.of("label", "a label")));
    }

    QuarkusTransaction.requiringNew()
        .run(() -> {
          for (var entity : model.getMetamodel().getEntities()) {
            assertThat(
                    entities
                        .createQuery("from " + entity.getName(), entity.getJavaType())
                        .setMaxResults(1)
                        .getResultList())
                .as(entity.getName())
                .hasSize(1);
          }
        });
  }

  @Test
  void everyViewHasAnEntity() {
    var mapped =
        model.getMetamodel().getEntities().stream()
            .map(entity -> entity.getJavaType().getAnnotation(Table.class).name())
            .toList();

    assertThat(mapped).containsExactlyInAnyOrderElementsOf(views());
  }

  private List<String> views() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select table_name from information_schema.views where table_schema = 'public'"
                    + " and table_name not like 'jobrunr%'")
            .mapTo(String.class)
            .list());
  }
}
