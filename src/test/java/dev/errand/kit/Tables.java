package dev.errand.kit;

import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Searches all columns of all tables, whatever tables there are. */
public record Tables(Jdbi jdbi) {

  /** One query per table, which reads each row once: the names of the columns that match. */
  private static final String QUERIES =
      """
      select format('select array_remove(array[%s], null) from %I',
        string_agg(format('case when bool_or(%I::text like any (:patterns)) then %L end',
          c.column_name, c.table_name || '.' || c.column_name), ', ' order by c.column_name), c.table_name)
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      group by c.table_name
      order by c.table_name
      """;

  /** The columns in which a row contains one of the texts, as {@code table.column}. */
  public List<String> with(String... texts) {
    var patterns = Stream.of(texts).map(Tables::pattern).toList();
    return jdbi.withHandle(handle ->
        handle.createQuery(QUERIES).mapTo(String.class).list().stream()
            .flatMap(query -> columns(handle, query, patterns))
            .toList());
  }

  private static Stream<String> columns(Handle handle, String query, List<String> patterns) {
    return Stream.of(
        handle
            .createQuery(query)
            .bindArray("patterns", String.class, patterns)
            .mapTo(String[].class)
            .one());
  }

  private static String pattern(String text) {
    return "%" + text.replaceAll("[\\\\%_]", "\\\\$0") + "%";
  }
}
