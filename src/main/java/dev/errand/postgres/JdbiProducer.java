package dev.errand.postgres;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handles;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.transaction.CMTTransactionHandler;

/**
 * Makes the one {@link Jdbi}: its handles join the transaction of {@code @Transactional}, and never
 * begin one themselves.
 */
@ApplicationScoped
class JdbiProducer {

  @Produces
  @Singleton
  Jdbi jdbi(DataSource dataSource) {
    var jdbi = Jdbi.create(dataSource).setTransactionHandler(new CMTTransactionHandler());
    jdbi.getConfig(Handles.class).setForceEndTransactions(false);
    jdbi.getConfig(SqlStatements.class).setUnusedBindingAllowed(true);
    return jdbi;
  }
}
