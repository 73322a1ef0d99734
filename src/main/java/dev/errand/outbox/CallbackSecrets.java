package dev.errand.outbox;

import dev.errand.node.Upkeep;
import dev.errand.postgres.IsolatedSteps;
import dev.errand.postgres.SecretCipher;
import dev.errand.postgres.UnreadableSecret;
import dev.errand.secret.Secrets;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Encrypts the secrets of callbacks that are stored as they are, or with an old key, after a start
 * with a new key. This is repeated because nodes of the previous configuration may still write, or
 * have run it. A row is replaced only if it is as it was read.
 */
@Singleton
public class CallbackSecrets implements Upkeep {

  private static final Logger LOG = Logger.getLogger(CallbackSecrets.class);
  private static final int BATCH = 500;
  private static final int MOST_KNOWN = 10_000;

  private static final String OUTDATED =
      """
      select id, secret, key_id from callback
      where (key_id is null or key_id <> :current and key_id = any(:known)) and id > :after
      order by id limit :batch
      """;

  private static final String REPLACE =
      """
      update callback set secret = :text, key_id = :key
      where id = :id and secret = :old
      """;

  private static final String NEWEST =
      """
      select id, secret, key_id from callback where disabled_at is null order by id desc limit :batch
      """;

  private static final String UNREADABLE =
      "select count(*) from callback where key_id is not null and key_id <> all(:known)";

  private record SecretRow(UUID id, SecretCipher.StoredSecret stored) {}

  private final Jdbi jdbi;
  private final SecretCipher cipher;
  private final IsolatedSteps steps;
  private final AtomicLong unreadable = new AtomicLong();

  CallbackSecrets(Jdbi jdbi, SecretCipher cipher, IsolatedSteps steps, MeterRegistry registry) {
    this.jdbi = jdbi;
    this.cipher = cipher;
    this.steps = steps;
    registry.gauge("errand.secrets.unreadable", Tags.of("of", "callbacks"), unreadable);
  }

  /** Returns the additional data of a callback's secret. */
  static String place(UUID callback) {
    return "callback.secret " + callback;
  }

  @Override
  public String name() {
    return "encrypt_callback_secrets";
  }

  @Override
  public boolean runSome() {
    cipher.currentKey().ifPresent(this::encryptOutdated);
    return false;
  }

  /** Counts the unreadable secrets, on each node, because each has keys of its own. */
  @Scheduled(every = "10m", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void countUnreadable() {
    unreadable.set(unreadableRows());
    if (unreadable.get() > 0) {
      LOG.errorf(
          "The secrets of %d callbacks are encrypted with a key that is neither ERRAND_SECRETS_KEY"
              + " nor one of ERRAND_SECRETS_OLD_KEYS; their webhooks are not posted",
          unreadable.get());
    }
  }

  /** Makes this node mask also the secrets of callbacks that clients have given to other nodes. */
  @Scheduled(every = "5m", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
  public void learn() {
    var newest =
        jdbi.withHandle(handle ->
            handle.createQuery(NEWEST).bind("batch", MOST_KNOWN).map((row, _) -> row(row)).list());
    for (var row : newest.reversed()) {
      try {
        Secrets.remember(cipher.decrypt(row.stored(), place(row.id())));
      } catch (UnreadableSecret unknown) {
        LOG.debugf(unknown, "The secret of callback %s is not masked", row.id());
      }
    }
  }

  private static SecretRow row(ResultSet row) throws SQLException {
    return new SecretRow(
        row.getObject("id", UUID.class),
        new SecretCipher.StoredSecret(row.getString("secret"), row.getString("key_id")));
  }

  private void encryptOutdated(String current) {
    var encrypted = 0;
    var rows = outdated(current, new UUID(0, 0));
    while (!rows.isEmpty()) {
      encrypted += steps.countIsolated("encrypt_secret", rows, this::encrypt);
      rows = outdated(current, rows.getLast().id());
    }
    if (encrypted > 0) {
      LOG.infof("The secrets of %d callbacks were encrypted with the key %s", encrypted, current);
    }
  }

  private List<SecretRow> outdated(String current, UUID after) {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(OUTDATED)
            .bind("current", current)
            .bind("after", after)
            .bind("batch", BATCH)
            .bindArray("known", String.class, cipher.keys())
            .map((row, _) -> row(row))
            .list());
  }

  private boolean encrypt(SecretRow row) {
    var place = place(row.id());
    var replaced = cipher.encrypt(cipher.decrypt(row.stored(), place), place);
    return jdbi.withHandle(handle ->
        handle
            .createUpdate(REPLACE)
            .bind("text", replaced.text())
            .bind("key", replaced.keyId())
            .bind("id", row.id())
            .bind("old", row.stored().text())
            .execute())
        > 0;
  }

  private long unreadableRows() {
    return jdbi.withHandle(handle ->
        handle
            .createQuery(UNREADABLE)
            .bindArray("known", String.class, cipher.keys())
            .mapTo(Long.class)
            .one());
  }
}
