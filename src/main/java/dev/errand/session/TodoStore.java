package dev.errand.session;

import dev.errand.conversation.SessionId;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** A session's todo list. */
@Singleton
public class TodoStore {

  private final Jdbi jdbi;
  private final Fence fence;

  TodoStore(Jdbi jdbi, Fence fence) {
    this.jdbi = jdbi;
    this.fence = fence;
  }

  /**
   * An entry of the list.
   *
   * @param status {@code pending}, {@code in_progress} or {@code completed}
   */
  public record Todo(String content, String status) {}

  public List<Todo> list(SessionId session) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(
                "select content, status from todo where session_id = :session order by position")
            .bind("session", session)
            .mapTo(Todo.class)
            .list());
  }

  /**
   * Replaces the whole list. Idempotent.
   *
   * @throws LeaseLost the run no longer owns the session
   */
  @Transactional
  public void replace(Lease lease, List<Todo> todos) {
    fence.share(lease);
    jdbi.useHandle(handle -> {
      handle.execute("delete from todo where session_id = ?", lease.session());
      for (int position = 0; position < todos.size(); position++) {
        handle.execute(
            "insert into todo (session_id, position, content, status) values (?, ?, ?, ?)",
            lease.session(),
            position,
            todos.get(position).content(),
            todos.get(position).status());
      }
    });
  }
}
