package dev.errand;

import dev.errand.postgres.EmbeddedDatabase;
import io.quarkus.runtime.ApplicationLifecycleManager;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.nio.file.Path;
import org.eclipse.microprofile.config.ConfigProvider;

/** Starts the service; with a database of its own when no other is configured (O5). */
@QuarkusMain
public class Errand {

  private Errand() {}

  public static void main(String... arguments) {
    System.setProperty("java.util.logging.manager", "org.jboss.logmanager.LogManager");
    var config = ConfigProvider.getConfig();
    if (config.getOptionalValue("errand.db.url", String.class).isEmpty()) {
      startDatabase(
          Path.of(config.getOptionalValue("errand.home", String.class).orElse(".errand")));
    }
    Quarkus.run(arguments);
  }

  private static void startDatabase(Path home) {
    var database = EmbeddedDatabase.start(home);
    System.setProperty("errand.db.url", database.jdbcUrl());
    System.setProperty("errand.db.user", database.user());
    System.setProperty("errand.db.embedded", "true");
    ApplicationLifecycleManager.setDefaultExitCodeHandler((code, _) -> {
      database.close();
      System.exit(code);
    });
  }
}
