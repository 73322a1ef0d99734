package dev.errand.postgres;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.sql.Types;
import java.util.UUID;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handles;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.AbstractArgumentFactory;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementExceptions;
import org.jdbi.v3.core.statement.StatementExceptions.MessageRendering;
import org.jdbi.v3.core.transaction.CMTTransactionHandler;

/**
 * Makes the one {@link Jdbi}: its handles join the transaction of {@code @Transactional}, and never
 * begin one themselves. Their errors quote no values, which may be prompts.
 */
@ApplicationScoped
class JdbiProducer {

  @Produces
  @Singleton
  Jdbi jdbi(DataSource dataSource) {
    var jdbi = Jdbi.create(dataSource).setTransactionHandler(new CMTTransactionHandler());
    jdbi.getConfig(Handles.class).setForceEndTransactions(false);
    jdbi.getConfig(SqlStatements.class).setUnusedBindingAllowed(true);
    jdbi.getConfig(StatementExceptions.class).setMessageRendering(MessageRendering.NONE);
    jdbi.registerArgument(new UuidArguments());
    return jdbi;
  }

  /** Jdbi sends an absent UUID as text, which PostgreSQL refuses for a uuid column. */
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
