package dev.errand.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.conversation.TaskId;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@QuarkusTest
class DomainTypesDbTest {

  @Inject Jdbi jdbi;

  enum Colour {
    DARK_RED
  }

  record Ball(TaskId ownerId, @Nullable TaskId finder, Colour colour, int size) {}

  @Test
  void idIsBoundAndReadAsItsUuid() {
    var id = TaskId.next();

    var read =
        jdbi.withHandle(handle ->
            handle
                .createQuery(
                    "select :id where pg_typeof(:id)::text = 'uuid' and :none::uuid is null")
                .bind("id", id)
                .bind("none", (@Nullable TaskId) null)
                .mapTo(TaskId.class)
                .one());

    assertThat(read).isEqualTo(id);
  }

  @Test
  void idsAreBoundAsAnArray() {
    var ids = List.of(TaskId.next(), TaskId.next());

    var read =
        jdbi.withHandle(handle ->
            handle
                .createQuery("select unnest(:ids)")
                .bindArray("ids", TaskId.class, ids)
                .mapTo(TaskId.class)
                .list());

    assertThat(read).isEqualTo(ids);
  }

  @Test
  void enumIsStoredAsItsNameInLowerCase() {
    var word =
        jdbi.withHandle(handle ->
            handle
                .createQuery("select :colour::text")
                .bind("colour", Colour.DARK_RED)
                .mapTo(String.class)
                .one());

    assertThat(word).isEqualTo("dark_red");
  }

  @Test
  void recordIsReadFromColumnsThatAreCalledLikeItsComponents() {
    var owner = TaskId.next();

    var ball =
        jdbi.withHandle(handle ->
            handle
                .createQuery(
                    """
                    select :owner::uuid as owner_id, null::uuid as finder, 'dark_red' as colour, 7 as size
                    """)
                .bind("owner", owner)
                .mapTo(Ball.class)
                .one());

    assertThat(ball).isEqualTo(new Ball(owner, null, Colour.DARK_RED, 7));
  }
}
