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
}
