package dev.errand.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** The source tree that the agents of the pictures work in, and the files of these agents. */
final class Shop {

  /** A request that the model endpoint refuses. */
  static final String REFUSED = "Upgrade the payment library to version 9.";

  static final String BEFORE =
      """
          User user = users.find(name);
          if (user == null) {
            return null;
          }
          return sessions.open(user);
      """;

  static final String AFTER =
      """
          User user = users.find(name);
          if (user == null || !user.matches(password)) {
            throw new UnknownUser("Name or password is wrong.");
          }
          return sessions.open(user);
      """;

  private static final String SERVICE =
      """
      package shop.login;

      /** Opens sessions for users who know their password. */
      public final class LoginService {

        private final Users users;
        private final SessionStore sessions;

        LoginService(Users users, SessionStore sessions) {
          this.users = users;
          this.sessions = sessions;
        }

        /** Returns the session of this user. */
        public Session login(String name, String password) {
      %s  }
      }
      """
          .formatted(BEFORE);

  private static final String STORE =
      """
      package shop.login;

      /** The sessions of all users. */
      final class SessionStore {

        Session open(User user) {
          if (user.isLocked()) {
            throw new LockedUser(user);
          }
          return sessions.put(new Session(user, clock.instant()));
        }

        void end(Session session) {
          if (sessions.remove(session.id()) == null) {
            log.debug("Session {} had ended", session.id());
          }
        }
      }
      """;

  private static final String COOKIE =
      """
      package shop.login;

      final class SessionCookie {

        static Cookie of(Session session) {
          return Cookie.named("shop").with(session.id()).httpOnly().path("/");
        }
      }
      """;

  private static final String CALLER =
      """
      package shop;

      final class %1$s {

        private final LoginService logins;

        Page show(Request request) {
          var session = logins.login(request.name(), request.password());
          return pages.of(session.user());
        }
      }
      """;

  /** A build whose tests take so long that a person looks at their output. */
  private static final String BUILD =
      """
      #!/bin/bash
      g=$'\\e[32m' r=$'\\e[31m' b=$'\\e[1m' y=$'\\e[33m' e=$'\\e[0m'
      echo "${b}> Task :compileJava${e}"; sleep 0.4
      echo "${b}> Task :test${e}"; sleep 0.4
      echo "LoginServiceTest"
      echo "  ${g}✓${e} known user gets a session ${y}(41 ms)${e}"; sleep 0.3
      echo "  ${g}✓${e} unknown user is refused ${y}(12 ms)${e}"; sleep 0.3
      echo "  ${g}✓${e} message does not tell what was wrong ${y}(9 ms)${e}"; sleep 0.4
      echo "SessionStoreTest"
      echo "  ${g}✓${e} locked user gets no session ${y}(18 ms)${e}"; sleep 0.3
      echo "  ${r}✕ session ends with the password${e}"
      echo "    ${r}expected: no session, but there was: Session[id=81f2]${e}"; sleep 0.6
      echo "CheckoutPageTest"
      printf '  a browser is started '
      for second in {1..600}; do printf .; sleep 1; done
      """;

  private static final Map<String, String> AGENTS =
      Map.of(
          "explore",
          "description: Searches and reads code.\ntools: Read, Grep, Glob\nmodel: anthropic:claude-haiku-4-5",
          "general",
          "description: Does tasks of several steps.\nsubagents: [explore]",
          "reviewer",
          "description: Reviews a change and names what is wrong with it.\ntools: Read, Grep\nmodel: anthropic:claude-opus-4-8");

  private final Path folder;

  private Shop(Path folder) {
    this.folder = folder;
  }

  /** Writes the source tree and the agents below a folder. */
  static Shop in(Path folder) throws IOException {
    var shop = new Shop(folder);
    shop.write("shop/src/main/java/shop/login/LoginService.java", SERVICE);
    shop.write("shop/src/main/java/shop/login/SessionStore.java", STORE);
    shop.write("shop/src/main/java/shop/login/SessionCookie.java", COOKIE);
    shop.write("shop/src/main/java/shop/login/RememberMe.java", CALLER.formatted("RememberMe"));
    shop.write("shop/src/main/java/shop/page/LoginPage.java", CALLER.formatted("LoginPage"));
    shop.write("shop/src/main/java/shop/page/CheckoutPage.java", CALLER.formatted("CheckoutPage"));
    shop.write("shop/src/main/java/shop/api/ApiFilter.java", CALLER.formatted("ApiFilter"));
    shop.write("shop/gradlew", BUILD);
    Files.setPosixFilePermissions(
        shop.workspace().resolve("gradlew"), PosixFilePermissions.fromString("rwxr-xr-x"));
    for (var agent : AGENTS.entrySet()) {
      shop.write(
          "agents/" + agent.getKey() + ".md",
          "---\n%s\n---\nDo your task: {task_description}\n".formatted(agent.getValue()));
    }
    return shop;
  }

  private void write(String file, String text) throws IOException {
    var path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  Path workspace() {
    return folder.resolve("shop");
  }

  /** Environment variables of a service whose agents work here. */
  Map<String, String> environment() {
    return Map.of(
        "ERRAND_WORKSPACE",
        workspace().toString(),
        "ERRAND_AGENTS_DIR",
        folder.resolve("agents").toString(),
        "ERRAND_TOOLS_BASH",
        "enabled",
        "ERRAND_MODEL_RETRY_FIRST_DELAY",
        "100ms",
        "ERRAND_TASK_RETRY_FIRST_DELAY",
        "1500ms",
        "ERRAND_WEBHOOKS_ALLOW_PRIVATE",
        "true",
        "ERRAND_WEBHOOKS_SCHEDULE",
        "0s");
  }
}
