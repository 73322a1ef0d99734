package dev.errand.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.Config;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the database before the service starts, so that a start that must fail ends soon, and
 * with a sentence instead of the exceptions of the parts that would need the database.
 */
public final class DatabaseCheck {

  /** Longer than the time-outs of a connection to one host. */
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static final Duration SILENCE = Duration.ofSeconds(8);

  private static final int OLDEST_VERSION = 150_000;

  /**
   * A schema that has the tables needs no right to create: the role may lose it after the first
   * start.
   */
  private static final String FACTS =
      """
      select current_setting('server_version') as version,
             current_setting('server_version_num')::int < ? as is_too_old,
             current_setting('server_encoding') as encoding,
             current_setting('transaction_read_only')::boolean as is_read_only,
             current_setting('search_path') as search_path,
             current_schema() as schema,
             has_schema_privilege(current_schema(), 'create')
               or to_regclass('flyway_schema_history') is not null as has_room,
             (select string_agg(name || '=' || setting, ', ') from pg_settings
              where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off') as unsafe
      """;

  private final DatabaseAddress address;
  private final DatabaseFault fault;
  private final String session;

  DatabaseCheck(DatabaseAddress address, String session) {
    this.address = address;
    this.fault = new DatabaseFault(address);
    this.session = session;
  }

  /**
   * Checks the configured database.
   *
   * @throws IllegalStateException the service cannot use the database; the message says why, and
   *     what to do
   */
  public static void check(Config config) {
    var session = config.getValue("quarkus.datasource.jdbc.new-connection-sql", String.class);
    new DatabaseCheck(DatabaseAddress.of(config), session).check();
  }

  /**
   * Checks the database in a thread of its own, because a URL with several hosts or own time-outs
   * may take longer.
   */
  void check() {
    CompletableFuture.supplyAsync(this::refusal, work -> Thread.ofVirtual().start(work))
        .completeOnTimeout(Optional.of(fault.silent()), LIMIT.toSeconds(), TimeUnit.SECONDS)
        .join()
        .ifPresent(sentence -> {
          throw new IllegalStateException(sentence);
        });
  }

  private Optional<String> refusal() {
    try (var connection = address.connect(SILENCE, session)) {
      var refusal = refusal(connection);
      return refusal.isPresent() ? refusal : new PoolerCheck(address, fault).refusal(connection);
    } catch (SQLException failed) {
      return Optional.of(fault.sentence(failed));
    }
  }

  private Optional<String> refusal(Connection connection) throws SQLException {
    try (var query = connection.prepareStatement(FACTS)) {
      query.setInt(1, OLDEST_VERSION);
      try (var facts = query.executeQuery()) {
        facts.next();
        return Optional.ofNullable(refusal(facts));
      }
    }
  }

  private @Nullable String refusal(ResultSet facts) throws SQLException {
    if (facts.getBoolean("is_too_old")) {
      return fault.tooOld(facts.getString("version"));
    }
    if (!facts.getString("encoding").equals("UTF8")) {
      return fault.encoding(facts.getString("encoding"));
    }
    if (facts.getBoolean("is_read_only")) {
      return fault.readOnly();
    }
    if (facts.getString("unsafe") != null) {
      return fault.mayLoseCommits(facts.getString("unsafe"));
    }
    if (facts.getString("schema") == null) {
      return fault.noSchema(facts.getString("search_path"));
    }
    return facts.getBoolean("has_room") ? null : fault.noTables(facts.getString("schema"));
  }
}
