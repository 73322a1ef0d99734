package dev.errand.hook;

import jakarta.inject.Singleton;
import java.time.Duration;

/** Calls a hook, outside of transactions. */
@Singleton
class HookCaller {

  private final HookPost post;
  private final HookProgram program;

  HookCaller(HookPost post, HookProgram program) {
    this.post = post;
    this.program = program;
  }

  /**
   * @param id of the event, the same when it is sent again
   */
  Reply call(Hook hook, String id, String body, Duration within) throws InterruptedException {
    return switch (hook.target()) {
      case Hook.Target.Endpoint endpoint -> post.post(endpoint, id, body, within);
      case Hook.Target.Program command -> program.run(command, body, within);
    };
  }

  /** What a hook answered. */
  sealed interface Reply {

    /**
     * The endpoint accepted the event, or the program ended with 0.
     *
     * @param text the body of the answer, or the program's output
     */
    record Said(String text) implements Reply {}

    /** The program ended with 2. */
    record Refused(String reason) implements Reply {}

    /**
     * The hook gave no answer.
     *
     * @param why the end of a sentence that begins with the hook
     */
    record Failed(String why, boolean late) implements Reply {
      static Failed of(String why) {
        return new Failed(why, false);
      }
    }
  }
}
