package dev.errand.postgres;

import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.argument.Argument;
import org.jspecify.annotations.Nullable;

/**
 * A statement with the values of its parameters, for a {@link Pipeline}. Values are bound directly,
 * because Jdbi's search for the way to bind a value takes longer than many a statement.
 */
public final class Statement {

  private final String sql;
  private final Map<String, Argument> values = new LinkedHashMap<>();

  private Statement(String sql) {
    this.sql = sql;
  }

  /**
   * Returns a statement without values yet.
   *
   * @param sql one statement, with parameters such as {@code :id}; a constant, because what is made
   *     of it is kept
   */
  public static Statement of(String sql) {
    return new Statement(sql);
  }

  /** Null has its type, too: without it, the driver would send what is before it first. */
  public Statement bind(String name, @Nullable UUID value) {
    return value == null
        ? bind(name, (position, sent, _) -> sent.setNull(position, Types.OTHER, "uuid"))
        : bind(name, (position, sent, _) -> sent.setObject(position, value));
  }

  /** Binds an id. */
  public Statement bind(String name, @Nullable Record id) {
    return bind(name, id == null ? null : DomainTypes.uuid(id));
  }

  /** Binds the name of an enum, in lower case. */
  public Statement bind(String name, @Nullable Enum<?> value) {
    return bind(name, value == null ? null : DomainTypes.word(value));
  }

  /** Returns what PostgreSQL cannot store is replaced. */
  public Statement bind(String name, @Nullable String value) {
    var storable = value == null ? null : StorableText.of(value);
    return bind(name, (position, sent, _) -> sent.setString(position, storable));
  }

  public Statement bind(String name, @Nullable Integer value) {
    return bind(name, (position, sent, _) -> sent.setObject(position, value, Types.INTEGER));
  }

  public Statement bind(String name, @Nullable Long value) {
    return bind(name, (position, sent, _) -> sent.setObject(position, value, Types.BIGINT));
  }

  public Statement bind(String name, boolean value) {
    return bind(name, (position, sent, _) -> sent.setBoolean(position, value));
  }

  public Statement bind(String name, byte @Nullable [] value) {
    return bind(name, (position, sent, _) -> sent.setBytes(position, value));
  }

  /** Binds a time with a time zone: the driver sends no type for one without. */
  public Statement bind(String name, @Nullable Instant value) {
    if (value == null) {
      return bind(name, (position, sent, _) -> sent.setNull(position, Types.OTHER, "timestamptz"));
    }
    var time = value.atOffset(ZoneOffset.UTC);
    return bind(name, (position, sent, _) -> sent.setObject(position, time));
  }

  /**
   * Binds an array, whose elements may be ids and enums. What PostgreSQL cannot store in its texts
   * is replaced.
   *
   * @param type of the elements, as PostgreSQL calls it
   */
  public Statement bindArray(String name, String type, Stream<?> elements) {
    var array = elements.map(Statement::storable).toArray();
    return bind(
        name,
        (position, sent, _) ->
            sent.setArray(position, sent.getConnection().createArrayOf(type, array)));
  }

  private static @Nullable Object storable(@Nullable Object element) {
    return switch (element) {
      case String text -> StorableText.of(text);
      case Record id -> DomainTypes.uuid(id);
      case Enum<?> value -> DomainTypes.word(value);
      case null, default -> element;
    };
  }

  private Statement bind(String name, Argument value) {
    values.put(name, value);
    return this;
  }

  String sql() {
    return sql;
  }

  Map<String, Argument> values() {
    return values;
  }
}
