package demo;

import java.io.IOException;

/**
 * The first run: a primary agent delegates a question about a source tree, and this prints what
 * becomes of it. A client of the REST API like any other; started by {@code make demo}.
 */
final class Demo {

  private Demo() {}

  public static void main(String... arguments) throws IOException, InterruptedException {
    var screen = new Screen(System.out);
    try {
      run(Wish.fromEnvironment(System.getenv()), screen);
    } catch (DemoFailure failure) {
      screen.flush();
      System.err.println("\nThe demo failed: " + failure.getMessage());
      System.exit(1);
    }
  }

  private static void run(Wish wish, Screen screen) throws IOException, InterruptedException {
    var api = new Api(wish.port());
    var service = new Service(api, wish.port(), wish.home());
    service.ensureUp(screen);
    var conversation = Conversation.open(api, wish, screen);
    try {
      conversation.follow();
    } finally {
      service.sayHowToGoOn(screen, conversation.session());
    }
  }
}
