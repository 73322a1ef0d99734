package dev.errand.session;

import dev.errand.conversation.MessageId;
import dev.errand.node.Upkeep;
import dev.errand.postgres.Pipeline;
import dev.errand.postgres.Statement;
import dev.errand.setting.Bounds;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Stores the requests of turns as they were sent, and deletes old ones in batches. */
@Singleton
public class SentRequests implements Upkeep {

  private static final int BATCH = 1_000;

  private static final String KEEP =
      """
      insert into sent_request (session_id, seq, sent_at, request)
      select session_id, seq, started_at, :request from message where id = :answer
      """;

  private static final String DELETE =
      """
      delete from sent_request
      where (session_id, seq) in (
        select session_id, seq from sent_request
        where sent_at < statement_timestamp() - :keepMs * interval '1 millisecond'
        limit :batch
        for update skip locked)
      """;

  private final Jdbi jdbi;
  private final SentConfig config;

  SentRequests(Jdbi jdbi, SentConfig config) {
    this.jdbi = jdbi;
    this.config = config;
  }

  /** Returns for how long requests are kept; zero when they are not. */
  public Duration keptFor() {
    return config.keep();
  }

  /** Returns whether requests are kept. */
  public boolean areKept() {
    return !keptFor().isZero();
  }

  /**
   * Adds to a pipeline what keeps the request of an answer that the pipeline appends.
   *
   * @param sent null when it is not kept
   */
  static void keep(Pipeline pipeline, MessageId answer, @Nullable SentRequest sent) {
    if (sent != null) {
      pipeline.update(Statement.of(KEEP).bind("request", sent.compressed()).bind("answer", answer));
    }
  }

  @Override
  public String name() {
    return "delete_old_sent_requests";
  }

  /** Deletes old requests. Each batch is a transaction of its own. */
  @Override
  public boolean runSome() {
    return jdbi.withHandle(handle ->
        handle
                .createUpdate(DELETE)
                .bind("keepMs", keptFor().toMillis())
                .bind("batch", BATCH)
                .execute()
            == BATCH);
  }

  /** What is kept of the requests of turns. */
  @ConfigMapping(prefix = "errand.sent")
  interface SentConfig {

    /**
     * How long the request of a turn is kept as it was sent to the model. Default 0: none is kept.
     * Each turn stores the whole conversation again, compressed, so that a longer time costs much
     * space in the database.
     */
    @WithDefault("0s")
    @Bounds(min = "0s")
    Duration keep();
  }
}
