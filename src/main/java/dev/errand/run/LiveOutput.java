package dev.errand.run;

import dev.errand.conversation.TextCut;
import dev.errand.secret.Secrets;
import dev.errand.tool.ToolContext.ToolProgress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * Publishes the output of one running call: its end, at most once a second, never two at a time,
 * and nothing for a call that ends within a second.
 */
final class LiveOutput implements ToolProgress {

  private static final Logger LOG = Logger.getLogger(LiveOutput.class);

  private static final int MAX_CHARS = 2_000;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Consumer<String> recorder;
  private final LongSupplier nanoTime;
  private String end = "";
  private long recordedAt;
  private boolean news;
  private boolean recording;

  LiveOutput(Consumer<String> recorder) {
    this(recorder, System::nanoTime);
  }

  LiveOutput(Consumer<String> recorder, LongSupplier nanoTime) {
    this.recorder = recorder;
    this.nanoTime = nanoTime;
    this.recordedAt = nanoTime.getAsLong();
  }

  @Override
  public synchronized void said(String text) {
    end = TextCut.tail(end + text, MAX_CHARS);
    news |= !text.isEmpty();
    if (news && !recording && nanoTime.getAsLong() - recordedAt >= PAUSE_NANOS) {
      news = false;
      recording = true;
      recordedAt = nanoTime.getAsLong();
      var now = end;
      // Not on this thread: it may be interrupted at any time, which breaks a database connection.
      Thread.ofVirtual().name("live-output").start(() -> record(now));
    }
  }

  /** A failure here does not fail the call, whose result contains the whole output. */
  private void record(String output) {
    try {
      recorder.accept(Secrets.maskedTail(output));
    } catch (RuntimeException unheard) {
      LOG.debugf(unheard, "Progress of a tool call could not be recorded");
    } finally {
      recorded();
    }
  }

  private synchronized void recorded() {
    recording = false;
  }
}
