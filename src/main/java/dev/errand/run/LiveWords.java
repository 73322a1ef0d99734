package dev.errand.run;

import dev.errand.conversation.TextCut;
import dev.errand.event.Deltas;
import dev.errand.event.MessageDelta;
import dev.errand.event.SpokenCall;
import dev.errand.model.AnswerListener;
import dev.errand.postgres.StorableText;
import dev.errand.secret.Secrets;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * Passes the words of one answer on while the model speaks, as they will be stored: at most every
 * 100 ms, also after the answer before it. What cannot be passed on now is joined with the next
 * words.
 */
final class LiveWords implements AnswerListener {

  private static final Logger LOG = Logger.getLogger(LiveWords.class);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Deltas deltas;
  private final SpokenCall call;
  private String sent = "";
  private long triedAt = System.nanoTime();

  LiveWords(Deltas deltas, SpokenCall call) {
    this.deltas = deltas;
    this.call = call;
  }

  @Override
  public boolean wantsWords() {
    return deltas.areHeard(call) && System.nanoTime() - triedAt >= PAUSE.toNanos();
  }

  /** A failure here does not fail the call. */
  @Override
  public void hear(String words, boolean whole) {
    try {
      send(whole ? stored(words) : storedSoFar(words));
    } catch (RuntimeException unheard) {
      LOG.debug("Words of a model could not be passed on", unheard);
    } finally {
      triedAt = System.nanoTime();
    }
  }

  private static String stored(String words) {
    return Secrets.masked(StorableText.of(words));
  }

  private static String storedSoFar(String words) {
    return Secrets.maskedSoFar(StorableText.of(TextCut.wholeEnd(words)));
  }

  private void send(String words) {
    if (sent.startsWith(words)) {
      return;
    }
    var offset = words.startsWith(sent) ? sent.length() : 0;
    var text = MessageDelta.head(words.substring(offset));
    if (deltas.send(call, offset, text)) {
      sent = words.substring(0, offset + text.length());
    }
  }
}
