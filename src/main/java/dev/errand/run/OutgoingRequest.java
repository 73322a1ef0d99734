package dev.errand.run;

import dev.errand.model.AnswerListener;
import dev.errand.model.ModelRequest;
import dev.errand.model.RequestSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request that is kept until it is sent, and made again when the call is repeated. */
final class OutgoingRequest implements RequestSource {

  private final AtomicReference<@Nullable ModelRequest> unsent;
  private final Supplier<ModelRequest> again;
  private final Runnable whenSent;
  private final Supplier<AnswerListener> listener;
  private final long tokens;

  /**
   * @param again makes the same request; must not keep the first one
   * @param whenSent called each time when a request is not needed any more
   * @param listener called each time when an answer begins
   */
  OutgoingRequest(
      ModelRequest first,
      Supplier<ModelRequest> again,
      Runnable whenSent,
      Supplier<AnswerListener> listener) {
    this.unsent = new AtomicReference<>(first);
    this.again = again;
    this.whenSent = whenSent;
    this.listener = listener;
    this.tokens = first.tokens();
  }

  @Override
  public ModelRequest make() {
    var kept = unsent.get();
    if (kept != null) {
      return kept;
    }
    var made = again.get();
    unsent.set(made);
    return made;
  }

  @Override
  public long tokens() {
    return tokens;
  }

  @Override
  public AnswerListener listener() {
    return listener.get();
  }

  @Override
  public void sent() {
    if (unsent.getAndSet(null) != null) {
      whenSent.run();
    }
  }
}
