package demo;

import java.io.IOException;

/** What the demo is about: once, while a subagent works, it kills the node and starts it again. */
final class Crash {

  private final Service service;
  private final Narrator narrator;
  private boolean isDue = true;

  Crash(Service service, Narrator narrator) {
    this.service = service;
    this.narrator = narrator;
  }

  /**
   * A tool call of a subagent has ended. Kills only a service that a demo has started.
   *
   * @throws DemoFailure the service does not start again
   */
  void subagentWorks() throws InterruptedException {
    if (!isDue) {
      return;
    }
    isDue = false;
    var process = service.process();
    if (process.isEmpty()) {
      narrator.demo(
          "does not kill this service, because no demo has started it; try kill -9 and make run");
      return;
    }
    try {
      narrator.demo("kill -9 of the node, process " + process.get().pid());
      service.kill(process.get());
      narrator.demo("starts the node again");
      service.start();
    } catch (IOException failed) {
      throw new DemoFailure("the service cannot be started again: " + failed);
    }
  }
}
