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
  HookReply call(Hook hook, String id, String body, Duration within) throws InterruptedException {
    return switch (hook.target()) {
      case HookTarget.UrlTarget endpoint -> post.post(endpoint, id, body, within);
      case HookTarget.ProgramTarget command -> program.run(command, body, within);
    };
  }

  /** The answer of a hook. */
  sealed interface HookReply {

    /**
     * The endpoint accepted the event, or the program ended with 0.
     *
     * @param text the body of the answer, or the program's output
     */
    record Answered(String text) implements HookReply {}

    /** The program ended with 2. */
    record Refused(String reason) implements HookReply {}

    /**
     * The hook gave no answer.
     *
     * @param why the end of a sentence that begins with the hook
     */
    record NoReply(String why, boolean late) implements HookReply {
      static NoReply of(String why) {
        return new NoReply(why, false);
      }
    }
  }
}
