package dev.errand.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.conversation.SessionId;
import dev.errand.kit.TaskKit;
import dev.errand.session.RunQueue;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A job exists exactly when the rows of its transaction exist (architecture, rule 1). */
@QuarkusTest
class TransactionalJobsDbTest {

  @Inject RunQueue queue;
  @Inject TaskKit kit;

  @Test
  void rollbackRemovesTheJob() {
    var job = new AtomicReference<UUID>();

    QuarkusTransaction.begin();
    job.set(queue.enqueue(SessionId.next()));
    assertThat(count(job.get())).as("inside the transaction").isEqualTo(1);
    QuarkusTransaction.rollback();

    assertThat(count(job.get())).isZero();
  }

  @Test
  void committedJobIsKeptAndSucceedsWithoutASession() {
    var job = QuarkusTransaction.requiringNew().call(() -> queue.enqueue(SessionId.next()));

    assertThat(count(job)).isEqualTo(1);
    await()
        .until(() ->
            kit.row("select state from jobrunr_jobs where id = '" + job + "'", String.class)
                .equals("SUCCEEDED"));
  }

  @Test
  void otherTransactionsDoNotSeeTheJobBeforeTheCommit() throws Exception {
    QuarkusTransaction.begin();
    var job = queue.enqueue(SessionId.next());
    var seen = new AtomicReference<Long>();
    var other = Thread.ofPlatform().start(() -> seen.set(count(job)));
    other.join();
    QuarkusTransaction.rollback();

    assertThat(seen).hasValue(0L);
  }

  private long count(UUID job) {
    return kit.row("select count(*) from jobrunr_jobs where id = '" + job + "'", Long.class);
  }
}
