package demo;

import java.io.IOException;

/**
 * The first run: a primary agent delegates a question about a source tree, the node is killed while
 * the subagent works, and the result arrives all the same. A plain client of the REST API, started
 * by {@code make demo}.
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
    screen.typed("make demo");
    var api = new Api(options.port());
    var service = new Service(api, options, screen);
    service.ensureUp();
    var conversation = Conversation.open(api, options, screen);
    try {
      conversation.follow(service);
      if (options.film().isPresent()) {
        screen.save(options.film().get());
      }
    } finally {
      service.printNextSteps(conversation.session());
    }
  }
}
