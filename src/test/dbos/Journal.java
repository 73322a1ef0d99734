import dev.dbos.transact.DBOS;
import java.sql.SQLException;

/** Stores what clients read and follow, in steps of the calling workflow. */
record Journal(Level level, DBOS dbos, Database database) {

  /** The name of the stream of each workflow. */
  static final String CHANGES = "changes";

  void message(Database.Message message) {
    if (level == Level.OBSERVABLE) {
      try {
        dbos.runStep(() -> database.insert(message), "message");
      } catch (SQLException fault) {
        throw new IllegalStateException(fault);
      }
    }
  }

  void changed(String change) {
    if (level == Level.OBSERVABLE) {
      dbos.writeStream(CHANGES, change);
    }
  }
}
