package dev.errand.kit;

import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Searches all columns of all tables, whatever tables there are. */
public record Tables(Jdbi jdbi) {

  /** The columns in which a row contains the text, as {@code table.column}. */
  public List<String> with(String text) {
    return jdbi.withHandle(handle ->
        columns(handle).stream().filter(column -> contains(handle, column, text)).toList());
  }

  private static boolean contains(Handle handle, String column, String text) {
    var name = column.split("\\.", 2);
    return handle
        .createQuery(
            "select exists (select 1 from %s where position(:text in %s::text) > 0)"
                .formatted(name[0], name[1]))
        .bind("text", text)
        .mapTo(Boolean.class)
        .one();
  }

  private static List<String> columns(Handle handle) {
    return handle
        .createQuery(
            """
            select format('%I.%I', c.table_name, c.column_name)
            from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
            where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
            order by 1
            """)
        .mapTo(String.class)
        .list();
  }
}
