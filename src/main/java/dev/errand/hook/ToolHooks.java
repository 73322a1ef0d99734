package dev.errand.hook;

import dev.errand.conversation.Content;
import dev.errand.conversation.TaskId;
import dev.errand.conversation.TextCut;
import dev.errand.hook.HookCaller.HookReply;
import dev.errand.hook.HookPayload.HookedResult;
import dev.errand.hook.HookPayload.ToolEvent;
import dev.errand.permission.Permissions;
import dev.errand.secret.Secrets;
import dev.errand.tool.ToolBox;
import dev.errand.tool.ToolContext;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Asks the hooks before a tool call, and tells them its result. Called outside of transactions; the
 * caller's thread waits for each hook at most as long as the time-out of the hook. Each hook has
 * its own number of calls at a time, so that a slow one delays only the calls that it is about.
 */
@Singleton
public class ToolHooks {

  private static final Logger LOG = Logger.getLogger(ToolHooks.class);

  private static final int MAX_REASON_CHARS = 2_000;

  private final Hooks hooks;
  private final HookCaller caller;
  private final HookPayload payload;
  private final HookMetrics metrics;
  private final HookConfig config;
  private final ToolBox toolBox;
  private final Map<String, Semaphore> slots = new ConcurrentHashMap<>();

  ToolHooks(
      Hooks hooks,
      HookCaller caller,
      HookPayload payload,
      HookMetrics metrics,
      HookConfig config,
      ToolBox toolBox) {
    this.hooks = hooks;
    this.caller = caller;
    this.payload = payload;
    this.metrics = metrics;
    this.config = config;
    this.toolBox = toolBox;
  }

  /** Returns whether a hook may deny calls of this agent. */
  public boolean mayDeny(String agent) {
    return !hooks.of(HookEvent.TOOL_BEFORE, agent).isEmpty();
  }

  /** Returns whether a hook hears of the results of this agent's calls. */
  public boolean hearResults(String agent) {
    return !hooks.of(HookEvent.TOOL_AFTER, agent).isEmpty();
  }

  /**
   * Asks the hooks one after the other, until one denies the call. A call that its caller may not
   * make, or whose arguments are not valid, is not asked about. About a command that does what
   * another tool does, the hooks of that tool are asked after those of the call.
   *
   * @return the text for the model if the call is denied
   */
  public Optional<String> denial(HookedCall call) throws InterruptedException {
    for (var event : events(call, null)) {
      for (var hook : about(HookEvent.TOOL_BEFORE, event)) {
        var denied = asked(hook, event);
        if (denied.isPresent()) {
          return denied;
        }
      }
    }
    return Optional.empty();
  }

  /** Tells the hooks the result of a call that ran. */
  public void ended(HookedCall call, String result, boolean isError) throws InterruptedException {
    for (var event : events(call, new HookedResult(result, isError))) {
      for (var hook : about(HookEvent.TOOL_AFTER, event)) {
        var begin = System.nanoTime();
        var reply = called(hook, HookEvent.TOOL_AFTER, event);
        var told = reply instanceof HookReply.Answered;
        note(hook, HookEvent.TOOL_AFTER, reply, told ? "delivered" : "failed", begin);
      }
    }
  }

  /** Returns the call as it is made, and the call of another tool that has the same effect. */
  private List<ToolEvent> events(HookedCall call, @Nullable HookedResult result) {
    return toolBox
        .approved(call.call(), call.context(), call.permissions())
        .filter(approved -> call.has().test(approved.tool().definition().name()))
        .map(approved -> events(call, approved, result))
        .orElse(List.of());
  }

  private static List<ToolEvent> events(
      HookedCall call, ToolBox.ApprovedCall approved, @Nullable HookedResult result) {
    var made = new ToolEvent(call, CalledTool.of(approved.tool()), approved.arguments(), result);
    return approved
        .tool()
        .equivalent(approved.arguments())
        .map(same ->
            List.of(
                made,
                new ToolEvent(call, CalledTool.ofService(same.tool()), same.arguments(), result)))
        .orElse(List.of(made));
  }

  private List<Hook> about(HookEvent kind, ToolEvent event) {
    return hooks.of(kind, event.call().context().agent()).stream()
        .filter(hook -> hook.isAbout(event.tool().names()))
        .toList();
  }

  private Optional<String> asked(Hook hook, ToolEvent event) throws InterruptedException {
    var begin = System.nanoTime();
    var reply = called(hook, HookEvent.TOOL_BEFORE, event);
    var decision =
        switch (reply) {
          case HookReply.Answered said -> Decision.of(said.text(), hook.isOfAgentFile());
          case HookReply.Refused refused -> new Decision.Denied(refused.reason());
          case HookReply.NoReply failed -> new Decision.Unreadable(failed.why());
        };
    return switch (decision) {
      case Decision.Allowed _ -> {
        note(hook, HookEvent.TOOL_BEFORE, reply, "allowed", begin);
        yield Optional.empty();
      }
      case Decision.Denied denied -> {
        note(hook, HookEvent.TOOL_BEFORE, reply, "denied", begin);
        LOG.infof("Hook %s denied a call of %s", hook.name(), event.tool().name());
        yield Optional.of(denial(hook, denied.reason()));
      }
      case Decision.Unreadable unreadable -> {
        var failed =
            reply instanceof HookReply.NoReply ? reply : HookReply.NoReply.of(unreadable.why());
        note(hook, HookEvent.TOOL_BEFORE, failed, "failed", begin);
        yield hook.allowsOnError()
            ? Optional.empty()
            : Optional.of(denial(hook, "the hook " + unreadable.why()));
      }
    };
  }

  /** Waits for a free slot and for the hook, both together no longer than its time-out. */
  private HookReply called(Hook hook, HookEvent kind, ToolEvent event) throws InterruptedException {
    var slot = slots.computeIfAbsent(hook.name(), _ -> new Semaphore(config.concurrency(), true));
    var begin = System.nanoTime();
    if (!slot.tryAcquire(hook.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
      return new HookReply.NoReply("is busy with other calls", true);
    }
    try {
      var left = hook.timeout().minusNanos(System.nanoTime() - begin);
      var id = HookPayload.id(hook, kind, event);
      return left.isPositive()
          ? caller.call(hook, id, payload.of(hook, kind, id, event), left)
          : new HookReply.NoReply("is busy with other calls", true);
    } finally {
      slot.release();
    }
  }

  private void note(Hook hook, HookEvent event, HookReply reply, String outcome, long begin) {
    var late = reply instanceof HookReply.NoReply failed && failed.late();
    var took = Duration.ofNanos(System.nanoTime() - begin);
    metrics.called(hook, event, late ? "late" : outcome, took);
    if (outcome.equals("failed")) {
      var why = reply instanceof HookReply.NoReply failed ? failed.why() : "ended with exit code 2";
      LOG.warnf("Hook %s, asked for %s, %s", hook.name(), event.word(), why);
    }
  }

  /**
   * Returns the reason, masked before it is cut, because the cut could leave a part of a secret.
   */
  private static String denial(Hook hook, String reason) {
    var text = Secrets.masked(reason.strip());
    return "Denied by the hook '%s'%s"
        .formatted(
            hook.name(),
            text.isEmpty() ? "." : ": " + TextCut.withEllipsis(text, MAX_REASON_CHARS));
  }

  /**
   * A tool call that hooks may hear of.
   *
   * @param has whether the caller has the tool with this name
   * @param task the task that the caller works on
   */
  public record HookedCall(
      Content.ToolCall call,
      ToolContext context,
      Permissions permissions,
      Predicate<String> has,
      @Nullable TaskId task) {}
}
