package dev.errand.story;

import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.Call;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A model of {@link StoriesIT} that is away for a while, refuses long requests, and is asked for a
 * summary while the service dies.
 */
final class TroubledModel {

  static final int CHILDREN = 40;
  static final int HASTE = 6_000;

  private static final int HASTY = CHILDREN - 1;
  private static final int LONGEST_REQUEST = 400_000;
  private static final Pattern CODE_WORD = Pattern.compile("(heliotrope|obsidian)-\\d");

  /** Without the hasty child, whose time may be over before it calls. */
  final CountDownLatch childrenCalled = new CountDownLatch(CHILDREN - 1);

  final AtomicInteger refused = new AtomicInteger();
  volatile boolean away;
  private boolean wentAway;

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
      case "Send" -> sender(call);
      case "child" -> child(call);
      case "Remember" -> reader(call);
      default -> throw new AssertionError("unexpected request: " + call.prompt());
    };
  }

  private static int number(ModelCall call) {
    return Integer.parseInt(call.prompt().split(" ", 2)[1]);
  }

  private static Call delegation(int number) {
    return Answer.call(
        "task",
        Map.of(
            "description",
            "a task",
            "prompt",
            "child " + number,
            "background",
            true,
            "timeout_ms",
            number == HASTY ? HASTE : 900_000));
  }

  private Answer sender(ModelCall call) {
    refuseWhileAway();
    return call.isFirst()
        ? Answer.calls(
            IntStream.range(0, CHILDREN).mapToObj(TroubledModel::delegation).toArray(Call[]::new))
        : Answer.says("noted");
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

  private static Call reading(int book) {
    return Answer.call("read", Map.of("file_path", "book" + book + ".txt"));
  }
}
