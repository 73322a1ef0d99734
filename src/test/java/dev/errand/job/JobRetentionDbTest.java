package dev.errand.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.postgres.RetentionConfig;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class JobRetentionDbTest {

  private static final String SIGNATURE = "JobRetentionDbTest";

  @Inject JobRetention retention;
  @Inject RetentionConfig config;
  @Inject Jdbi jdbi;

  @AfterEach
  void clear() {
    jdbi.useHandle(
        handle -> handle.execute("delete from jobrunr_jobs where jobsignature = ?", SIGNATURE));
  }

  @Test
  void oldFailedJobsAreDeletedAndOtherJobsAreKept() {
    var longAgo = config.jobs().plusDays(2);
    var old = job("FAILED", longAgo);
    var young = job("FAILED", Duration.ZERO);
    var scheduled = job("SCHEDULED", longAgo);

    retention.run(() -> false);

    assertThat(kept()).contains(young, scheduled).doesNotContain(old);
  }

  private String job(String state, Duration age) {
    var id = UUID.randomUUID().toString();
    jdbi.useHandle(handle ->
        handle.execute(
            """
            insert into jobrunr_jobs (id, version, jobasjson, jobsignature, state, createdat, updatedat)
            values (?, 1, '{}', ?, ?, now(), now() - ? * interval '1 second')
            """,
            id,
            SIGNATURE,
            state,
            age.toSeconds()));
    return id;
  }

  private List<String> kept() {
    return jdbi.withHandle(handle ->
        handle
            .select("select id from jobrunr_jobs where jobsignature = ?", SIGNATURE)
            .mapTo(String.class)
            .list());
  }
}
