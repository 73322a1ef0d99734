package dev.errand.story;

import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The models of {@link UnheardIT}: what they answer, when they are away, what they refuse. */
final class UnheardModel {

  static final int PARTS = 8;
  static final int CHILDREN = 40;
  static final int HASTE = 6_000;

  private static final int HASTY = CHILDREN - 1;
  private static final int LONGEST_REQUEST = 400_000;
  private static final Pattern CODE_WORD = Pattern.compile("(heliotrope|obsidian)-\\d");

  final List<CountDownLatch> parts =
      Stream.generate(() -> new CountDownLatch(1)).limit(PARTS).toList();

  /** One for each link whose delegation the agent knows to be accepted. */
  private final Semaphore linksAccepted = new Semaphore(0);

  /** Without the hasty child, whose time may be over before it calls. */
  final CountDownLatch childrenCalled = new CountDownLatch(CHILDREN - 1);

  final AtomicInteger refused = new AtomicInteger();
  volatile boolean away;
  private boolean wentAway;

  final AtomicInteger taken = new AtomicInteger();

  /** Calls that were refused in later periods than the first call that was. */
  final AtomicInteger tooFast = new AtomicInteger();

  private boolean limitIsKnown;
  private boolean refusesInPeriod;
  private int inPeriod;
  private long periodEnds = System.nanoTime();

  final CountDownLatch summaryAsked = new CountDownLatch(1);
  final CountDownLatch killed = new CountDownLatch(1);
  final AtomicInteger read = new AtomicInteger();
  final AtomicInteger tooLong = new AtomicInteger();
  volatile int readUntil;

  Answer answer(ModelCall call) throws InterruptedException {
    if (call.bytes() > LONGEST_REQUEST) {
      tooLong.incrementAndGet();
      throw new ErrorStatus(413);
    }
    if (call.prompt().endsWith("Summarise this conversation.")) {
      return summary(call);
    }
    return switch (call.prompt().split("[ .]", 2)[0]) {
      case "Fan" -> delegation(call, PARTS, number -> task("part " + number, Map.of()));
      case "part" -> part(number(call));
      case "Chain" -> link(call);
      case "link" -> linked();
      case "Send" -> sender(call);
      case "child" -> child(call);
      case "Remember" -> reader(call);
      case "Read" -> readAtOnce(call);
      default -> throw new AssertionError("unexpected request: " + call.prompt());
    };
  }

  private static int number(ModelCall call) {
    return Integer.parseInt(call.prompt().split(" ", 2)[1]);
  }

  private static Call task(String prompt, Map<String, ?> more) {
    var arguments = new HashMap<String, Object>(more);
    arguments.putAll(Map.of("description", "a task", "prompt", prompt, "background", true));
    return Answer.call("task", arguments);
  }

  private static Answer delegation(ModelCall call, int tasks, IntFunction<Call> task) {
    return call.isFirst()
        ? Answer.calls(IntStream.range(0, tasks).mapToObj(task).toArray(Call[]::new))
        : Answer.says("noted");
  }

  private Answer part(int number) throws InterruptedException {
    parts.get(number).await();
    return Answer.says("done");
  }

  private Answer link(ModelCall call) {
    if (call.last().answers().isEmpty()) {
      return Answer.calls(task("link", Map.of()));
    }
    linksAccepted.release();
    return Answer.says("waiting");
  }

  /** A result that arrives before the delegating turn has ended belongs to that turn. */
  private Answer linked() throws InterruptedException {
    linksAccepted.acquire();
    return Answer.says("linked");
  }

  private Answer sender(ModelCall call) {
    refuseWhileAway();
    return delegation(
        call,
        CHILDREN,
        number -> task("child " + number, Map.of("timeout_ms", number == HASTY ? HASTE : 900_000)));
  }

  /** The model is away once the children have called; the result of the first wakes the root. */
  private Answer child(ModelCall call) throws InterruptedException {
    refuseWhileAway();
    if (!call.isFirst()) {
      return Answer.says("done");
    }
    if (number(call) != HASTY) {
      childrenCalled.countDown();
    }
    childrenCalled.await();
    goAway();
    return number(call) == 0
        ? Answer.says("done at once")
        : Answer.calls(Answer.call("list", Map.of()));
  }

  /** Once: a child whose run broke off repeats its first call. */
  private synchronized void goAway() {
    if (!wentAway) {
      wentAway = true;
      away = true;
    }
  }

  private void refuseWhileAway() {
    if (away) {
      refused.incrementAndGet();
      throw new ErrorStatus(503);
    }
  }

  /** The endpoint takes 30 calls in each period of 2 s. */
  synchronized Answer paced(ModelCall call) {
    var now = System.nanoTime();
    if (now - periodEnds >= 0) {
      periodEnds = now + 2_000_000_000;
      inPeriod = 0;
      limitIsKnown |= refusesInPeriod;
      refusesInPeriod = false;
    }
    if (inPeriod == 30) {
      refusesInPeriod = true;
      tooFast.addAndGet(limitIsKnown ? 1 : 0);
      var seconds = (periodEnds - now) / 1e9;
      throw new ErrorStatus(429, Map.of("Retry-After", "%.3f".formatted(seconds)));
    }
    inPeriod++;
    taken.incrementAndGet();
    return call.isFirst() ? Answer.calls(Answer.call("list", Map.of())) : Answer.says("done");
  }

  private Answer reader(ModelCall call) {
    if (call.last().text().startsWith("Which words")) {
      return Answer.says(words(call));
    }
    if (read.get() >= readUntil) {
      return Answer.says("That is read.");
    }
    var book = read.getAndIncrement();
    return new Answer("What I think of it. ".repeat(600), List.of(reading(book)), false);
  }

  /** The first request for a summary is answered when the service is dead. */
  private Answer summary(ModelCall call) throws InterruptedException {
    summaryAsked.countDown();
    killed.await();
    return Answer.says("Books were read. Words: " + words(call));
  }

  private static String words(ModelCall call) {
    return call.turns().stream()
        .flatMap(turn -> CODE_WORD.matcher(turn.text()).results())
        .map(found -> found.group())
        .distinct()
        .sorted()
        .reduce((one, other) -> one + " " + other)
        .orElse("none");
  }

  private static Answer readAtOnce(ModelCall call) {
    return call.isFirst()
        ? Answer.calls(IntStream.range(0, 30).mapToObj(UnheardModel::reading).toArray(Call[]::new))
        : Answer.says("That is read.");
  }

  private static Call reading(int book) {
    return Answer.call("read", Map.of("file_path", "book" + book + ".txt"));
  }
}
