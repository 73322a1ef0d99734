package dev.errand.session;

import java.util.Comparator;
import java.util.List;

/**
 * The order in which an inbox is read. Users' messages keep their places; the places of notices are
 * filled in the order in which their tasks ended, because the relay may deliver the later one
 * first.
 */
final class InboxOrder {

  private static final Comparator<Inbox.Waiting> BY_COMPLETION =
      Comparator.comparing((Inbox.Waiting waiting) -> notice(waiting).taskEndedAt())
          .thenComparing(waiting -> String.valueOf(waiting.outbox()));

  private InboxOrder() {}

  static List<Inbox.Waiting> of(List<Inbox.Waiting> asTheyCame) {
    var notices = asTheyCame.stream().filter(InboxOrder::isNotice).sorted(BY_COMPLETION).iterator();
    return asTheyCame.stream()
        .map(waiting -> isNotice(waiting) ? notices.next() : waiting)
        .toList();
  }

  private static boolean isNotice(Inbox.Waiting waiting) {
    return waiting.entry() instanceof InboxEntry.Notice;
  }

  private static InboxEntry.Notice notice(Inbox.Waiting waiting) {
    return (InboxEntry.Notice) waiting.entry();
  }
}
