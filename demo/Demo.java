package demo;

import java.io.IOException;

/**
 * The first run: a primary agent delegates a question about a source tree, and each step is printed
 * as it happens. A plain client of the REST API; started by {@code make demo}.
 */
final class Demo {

  private Demo() {}

  public static void main(String... arguments) throws IOException, InterruptedException {
    var screen = new Screen(System.out);
    try {
      run(DemoOptions.fromEnvironment(System.getenv()), screen);
    } catch (DemoFailure failure) {
      screen.flush();
      System.err.println("\nThe demo failed: " + failure.getMessage());
      System.exit(1);
    }
  }

  private static void run(DemoOptions options, Screen screen)
      throws IOException, InterruptedException {
    var api = new Api(options.port());
    var service = new Service(api, options.port(), options.home(), options.folder());
    service.ensureUp(screen);
    var conversation = Conversation.open(api, options, screen);
    try {
      conversation.follow();
    } finally {
      service.printNextSteps(screen, conversation.session());
    }
  }
}
