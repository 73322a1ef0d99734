package dev.errand.model;

import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What is in memory while a model answers. */
@ParameterizedClass
@MethodSource("wires")
class WaitingCallTest extends ProviderContract {

  WaitingCallTest(Wire wire) {
    super(wire);
  }

  /** A long conversation that only the call refers to. */
  private static final class LongRequest implements RequestSource {

    private static final int CHARS = 300_000;

    private final AtomicReference<WeakReference<String>> text = new AtomicReference<>();
    private final CountDownLatch sent = new CountDownLatch(1);

    @Override
    public ModelRequest make() {
      var made = "x".repeat(CHARS);
      text.set(new WeakReference<>(made));
      return ask(made);
    }

    @Override
    public long tokens() {
      return 0;
    }

    @Override
    public void sent() {
      sent.countDown();
    }

    private boolean isCollected() {
      System.gc();
      return text.get().get() == null;
    }
  }

  @Test
  void requestIsNotKeptWhileTheModelAnswers() throws Exception {
    try (var hanging = new HangingServer("")) {
      var request = new LongRequest();
      var caller = Thread.ofVirtual().start(() -> fail(hanging.url(), request));
      request.sent.await();

      await().until(request::isCollected);

      caller.interrupt();
      caller.join();
    }
  }

  private void fail(String url, RequestSource request) {
    try {
      var unexpected = model(url, Map.of()).reply(request);
      throw new AssertionError(unexpected);
    } catch (ModelException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
