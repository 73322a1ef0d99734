package dev.errand.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.errand.model.AnswerListener;
import dev.errand.model.ModelRequest;
import dev.errand.model.RequestSource;
import dev.errand.session.SentRequest;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request that is in memory until it is sent, and made again when the call is repeated. Its body
 * stays, compressed, if requests are kept.
 */
final class OutgoingRequest implements RequestSource {

  private final AtomicReference<@Nullable ModelRequest> unsent;
  private final Supplier<ModelRequest> again;
  private final Consumer<OutgoingRequest> whenSent;
  private final @Nullable Function<JsonNode, SentRequest> keep;
  private final long tokens;
  private volatile @Nullable SentRequest kept;
  private Supplier<AnswerListener> listener = () -> AnswerListener.NONE;

  /**
   * @param again makes the same request; must not keep the first one
   * @param whenSent called each time when a request is not needed any more
   * @param keep makes what is kept of the body; null when nothing is kept
   */
  OutgoingRequest(
      ModelRequest first,
      Supplier<ModelRequest> again,
      Consumer<OutgoingRequest> whenSent,
      @Nullable Function<JsonNode, SentRequest> keep) {
    this.keep = keep;
    this.unsent = new AtomicReference<>(first);
    this.again = again;
    this.whenSent = whenSent;
    this.tokens = first.tokens();
  }

  /**
   * Sets who hears the answers, before the request is sent; called each time when one begins.
   * Returns this request.
   */
  OutgoingRequest heardBy(Supplier<AnswerListener> listeners) {
    listener = listeners;
    return this;
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
  public void isSentAs(Supplier<JsonNode> body) {
    if (keep != null) {
      kept = keep.apply(body.get());
    }
  }

  /** Returns the body that was sent last; null when it is not kept. */
  @Nullable SentRequest kept() {
    return kept;
  }

  /** Returns how much memory the kept body needs. */
  long keptBytes() {
    return kept instanceof SentRequest body ? body.bytes() : 0;
  }

  @Override
  public void sent() {
    if (unsent.getAndSet(null) != null) {
      whenSent.accept(this);
    }
  }
}
