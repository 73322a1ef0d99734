package dev.errand.event;

import dev.errand.event.EventStore.EventScope;
import dev.errand.node.Hints;
import dev.errand.node.Sweep;
import dev.errand.node.Sweeps;
import dev.errand.postgres.Json;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Passes the words of models, while they are written, to the streams of this node that want them,
 * and to the other nodes that have such streams. Nothing is stored or repeated, and nothing here
 * blocks a run.
 */
@Singleton
public class Deltas {

  private static final Logger LOG = Logger.getLogger(Deltas.class);

  /** How often a node repeats which streams it has. */
  private static final int REPEATED_SECONDS = 5;

  /** How long the others believe it: three repetitions, and a moment. */
  private static final Duration VALID = Duration.ofSeconds(16);

  /** At most 50 texts with words leave a node in a second. */
  private static final Duration PAUSE = Duration.ofMillis(20);

  /** As many ids fit into one text. */
  private static final int STREAMS_PER_TEXT = 100;

  private final Hints hints;
  private final Trees trees;
  private final Json json;
  private final Clock clock;

  /** The queues of this node. The scope of a stream of a part of a tree is the whole tree. */
  private final Map<EventScope, List<DeltaQueue>> here = new ConcurrentHashMap<>();

  /** The streams of other nodes, and until when they count, on the monotonic clock. */
  private final Map<EventScope, Long> elsewhere = new ConcurrentHashMap<>();

  private final AtomicLong toldAt = new AtomicLong(System.nanoTime());

  Deltas(Hints hints, Trees trees, Json json, Clock clock) {
    this.hints = hints;
    this.trees = trees;
    this.json = json;
    this.clock = clock;
  }

  void start(@Observes StartupEvent start, Sweeps sweeps) {
    hints.hear(this::hear);
    sweeps.add(
        Sweep.whenWanted("Streams of words", () -> !here.isEmpty(), this::tellStreams)
            .every(REPEATED_SECONDS));
  }

  /**
   * Begins to collect the words for a stream; the caller closes the queue.
   *
   * @param scope with a part of a tree, the queue gets the words of the whole tree
   */
  public DeltaQueue open(EventScope scope) {
    var heard =
        scope.tree()
            ? new EventScope(trees.rootOf(scope.session()).orElse(scope.session()), true)
            : scope;
    var queue = new DeltaQueue(closed -> close(heard, closed));
    here.merge(heard, List.of(queue), Deltas::both);
    tell(List.of(heard));
    return queue;
  }

  private static List<DeltaQueue> both(List<DeltaQueue> some, List<DeltaQueue> others) {
    return Stream.concat(some.stream(), others.stream()).toList();
  }

  private void close(EventScope heard, DeltaQueue queue) {
    here.computeIfPresent(
        heard,
        (_, queues) -> {
          var others = queues.stream().filter(other -> other != queue).toList();
          return others.isEmpty() ? null : others;
        });
  }

  /** Returns whether any stream wants the words of a call. Cheap, above all if there is none. */
  public boolean areHeard(SpokenCall call) {
    return (!here.isEmpty() && scopes(call).anyMatch(here::containsKey)) || isHeardElsewhere(call);
  }

  private boolean isHeardElsewhere(SpokenCall call) {
    return !elsewhere.isEmpty()
        && scopes(call)
            .map(elsewhere::get)
            .anyMatch(until -> until != null && until - System.nanoTime() > 0);
  }

  private static Stream<EventScope> scopes(SpokenCall call) {
    return Stream.of(new EventScope(call.session(), false), new EventScope(call.root(), true));
  }

  /**
   * Passes words on, at once and without waiting: to all streams, or to none when the other nodes
   * cannot be told now.
   *
   * @param text as clients may see it, at most {@link MessageDelta#head}
   * @return whether the words were passed on
   */
  public boolean send(SpokenCall call, long offset, String text) {
    var delta = new MessageDelta(call, clock.instant(), offset, text);
    if (isHeardElsewhere(call) && !tell(delta)) {
      return false;
    }
    pass(delta);
    return true;
  }

  private void pass(MessageDelta delta) {
    scopes(delta.call())
        .flatMap(scope -> here.getOrDefault(scope, List.of()).stream())
        .forEach(queue -> queue.add(delta));
  }

  private boolean tell(MessageDelta delta) {
    var last = toldAt.get();
    var now = System.nanoTime();
    return now - last >= PAUSE.toNanos()
        && toldAt.compareAndSet(last, now)
        && hints.tell(json.write(DeltaTexts.saying(delta)));
  }

  private void tellStreams() {
    var streams = new ArrayList<>(here.keySet());
    for (int from = 0; from < streams.size(); from += STREAMS_PER_TEXT) {
      tell(streams.subList(from, Math.min(from + STREAMS_PER_TEXT, streams.size())));
    }
  }

  /** What is lost is repeated soon. */
  private void tell(List<EventScope> streams) {
    if (!hints.tell(json.write(DeltaTexts.listening(streams)))) {
      LOG.debug("Other nodes could not be told of streams of words");
    }
  }

  /** Any client of the database may send a text. */
  private void hear(String text) {
    try {
      var told = json.readTree(text);
      if (told != null) {
        learn(DeltaTexts.streams(told));
        DeltaTexts.delta(told).ifPresent(this::pass);
      }
    } catch (UncheckedIOException unreadable) {
      LOG.debug("A text of another node cannot be read", unreadable);
    }
  }

  private void learn(List<EventScope> streams) {
    if (!streams.isEmpty()) {
      var now = System.nanoTime();
      elsewhere.values().removeIf(until -> until - now < 0);
      streams.forEach(stream -> elsewhere.put(stream, now + VALID.toNanos()));
    }
  }
}
