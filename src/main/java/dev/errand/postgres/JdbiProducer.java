package dev.errand.postgres;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.sql.Types;
import java.util.UUID;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handles;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.AbstractArgumentFactory;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.array.SqlArrayType;
import org.jdbi.v3.core.array.SqlArrayTypes;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementExceptions;
import org.jdbi.v3.core.statement.StatementExceptions.MessageRendering;
import org.jdbi.v3.core.statement.TemplateEngine;
import org.jdbi.v3.core.transaction.CMTTransactionHandler;
import org.jspecify.annotations.Nullable;

/**
 * Produces the {@link Jdbi} bean. Its handles join the transaction of {@code @Transactional} and
 * never begin one. Its error messages contain no bound values, because these may be prompts. What
 * PostgreSQL cannot store in a bound text is replaced.
 */
@Singleton
class JdbiProducer {

  @Produces
  @Singleton
  Jdbi jdbi(DataSource dataSource) {
    var jdbi = Jdbi.create(dataSource).setTransactionHandler(new CMTTransactionHandler());
    jdbi.getConfig(Handles.class).setForceEndTransactions(false);
    jdbi.getConfig(SqlStatements.class)
        .setUnusedBindingAllowed(true)
        .setTemplateEngine(TemplateEngine.NOP);
    jdbi.getConfig(StatementExceptions.class).setMessageRendering(MessageRendering.NONE);
    jdbi.getConfig(SqlArrayTypes.class); // or each statement makes one
    DomainTypes.register(jdbi);
    jdbi.registerArrayType(new TextElements());
    jdbi.registerArgument(new UuidArguments());
    jdbi.registerArgument(new TextArguments());
    return jdbi;
  }

  private static final class TextArguments extends AbstractArgumentFactory<String> {

    TextArguments() {
      super(Types.VARCHAR);
    }

    @Override
    protected Argument build(String value, ConfigRegistry config) {
      var storable = StorableText.of(value);
      return (position, statement, _) -> statement.setString(position, storable);
    }
  }

  private static final class TextElements implements SqlArrayType<@Nullable String> {

    @Override
    public String getTypeName() {
      return "varchar";
    }

    @Override
    public @Nullable Object convertArrayElement(@Nullable String element) {
      return element == null ? null : StorableText.of(element);
    }

    @Override
    public Class<?> getArrayElementClass() {
      return String.class;
    }
  }

  /**
   * Binds a UUID. By default, Jdbi sends a null UUID as text, which PostgreSQL rejects for a uuid
   * column.
   */
  private static final class UuidArguments extends AbstractArgumentFactory<UUID> {

    UuidArguments() {
      super(Types.OTHER);
    }

    @Override
    protected Argument build(UUID value, ConfigRegistry config) {
      return (position, statement, _) -> statement.setObject(position, value);
    }
  }
}
