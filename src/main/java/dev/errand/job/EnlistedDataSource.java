package dev.errand.job;

import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Lets JobRunr write in the current transaction. JobRunr commits on its own connection; while a
 * transaction is active, it gets the connection of that transaction, with {@code commit} and {@code
 * setAutoCommit} ignored and {@code rollback} turned into {@code setRollbackOnly}. A job then
 * exists exactly when the rows of the service exist (architecture, rule 1).
 */
final class EnlistedDataSource implements DataSource {

  private final DataSource dataSource;
  private final TransactionManager transactions;

  EnlistedDataSource(DataSource dataSource, TransactionManager transactions) {
    this.dataSource = dataSource;
    this.transactions = transactions;
  }

  @Override
  public Connection getConnection() throws SQLException {
    var connection = dataSource.getConnection();
    return inTransaction() ? enlisted(connection) : connection;
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLException("only the configured user is supported");
  }

  private boolean inTransaction() throws SQLException {
    try {
      return transactions.getStatus() != Status.STATUS_NO_TRANSACTION;
    } catch (SystemException fault) {
      throw new SQLException("the state of the transaction is unknown", fault);
    }
  }

  private Connection enlisted(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            EnlistedDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (_, method, arguments) -> invoke(connection, method, arguments));
  }

  private @Nullable Object invoke(Connection connection, Method method, Object[] arguments)
      throws Throwable {
    switch (method.getName()) {
      case "commit", "setAutoCommit" -> {
        return null;
      }
      case "rollback" -> {
        transactions.setRollbackOnly();
        return null;
      }
      default -> {
        try {
          return method.invoke(connection, arguments);
        } catch (InvocationTargetException fault) {
          throw fault.getCause();
        }
      }
    }
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return dataSource.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    dataSource.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    dataSource.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return dataSource.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return dataSource.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return dataSource.isWrapperFor(type);
  }
}
