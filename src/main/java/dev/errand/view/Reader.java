package dev.errand.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.errand.postgres.Moment;
import io.quarkus.hibernate.orm.panache.PanacheQuery;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hibernate.jpa.HibernateHints;

/**
 * Runs a query and makes records of its rows: in a short transaction of its own, or in that of a
 * caller who shows what it has just changed.
 */
@Singleton
class Reader {

  /** The items of a page have at most this many bytes as JSON, except for a single larger item. */
  private static final long MAX_BYTES = 4L << 20;

  /** Rows that are read from the database at once; bounds what is read beyond the end of a page. */
  private static final int FETCHED = 16;

  private final ObjectMapper json;
  private final ReadTurns turns;
  private final Moment moment;

  Reader(ObjectMapper json, ReadTurns turns, Moment moment) {
    this.json = json;
    this.turns = turns;
    this.moment = moment;
  }

  /** Returns the first rows of a query, as many as fit into a page. */
  <R, T> Slice<T> page(Supplier<PanacheQuery<R>> query, int limit, Function<R, T> view) {
    return call(() -> {
      var rows =
          query.get().range(0, limit).withHint(HibernateHints.HINT_FETCH_SIZE, FETCHED).stream();
      try (rows) {
        return slice(rows.map(view).iterator(), limit);
      }
    });
  }

  private <T> Slice<T> slice(Iterator<T> rows, int limit) {
    var items = new ArrayList<T>();
    var bytes = 0L;
    while (rows.hasNext()) {
      var item = rows.next();
      bytes += bytes(item);
      if (items.size() == limit || (bytes > MAX_BYTES && !items.isEmpty())) {
        return new Slice<>(items, true);
      }
      items.add(item);
    }
    return new Slice<>(items, false);
  }

  /** Returns the first row of a query. */
  <R, T> Optional<T> first(Supplier<PanacheQuery<R>> query, Function<R, T> view) {
    return call(() -> query.get().firstResultOptional().map(view));
  }

  /** Reads rows of this tenant, which need not be that of the caller. */
  <T> T of(String tenant, Supplier<T> read) {
    return turns.take(
        () -> TenantOfQuery.asked(tenant, () -> QuarkusTransaction.requiringNew().call(read::get)));
  }

  /** Reads rows of the caller's tenant. */
  <T> T call(Supplier<T> read) {
    return turns.take(() -> QuarkusTransaction.joiningExisting().call(read::get));
  }

  /** Reads rows of the caller's tenant as they are at one moment. */
  <T> T moment(Supplier<T> read) {
    return turns.take(() -> moment.read(read));
  }

  private long bytes(Object item) {
    try {
      return json.writeValueAsBytes(item).length;
    } catch (JsonProcessingException fault) {
      throw new IllegalStateException("A row cannot be written as JSON", fault);
    }
  }
}
