package dev.errand.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.RequestChange.LeaveOut;
import dev.errand.model.RequestChange.Lower;
import dev.errand.model.RequestChange.Rename;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The changes of a request that its endpoint and model need, in the order of their refusals. */
record RequestChanges(List<RequestChange> all) {

  static final RequestChanges NONE = new RequestChanges(List.of());

  /** An endpoint that wants more is not worth further calls. */
  private static final int MOST = 8;

  RequestChanges {
    all = List.copyOf(all);
  }

  void applyTo(ObjectNode request) {
    all.forEach(change -> change.applyTo(request));
  }

  /** Returns these changes and a further one; empty if it changes nothing. */
  Optional<RequestChanges> with(RequestChange change) {
    if (all.size() >= MOST || all.stream().anyMatch(known -> covers(known, change))) {
      return Optional.empty();
    }
    var more = new ArrayList<>(all);
    if (change instanceof Rename back && more.remove(new Rename(back.to(), back.from()))) {
      // An endpoint that takes neither of two names takes no such parameter.
      more.add(new LeaveOut(back.from()));
      more.add(new LeaveOut(back.to()));
    } else {
      more.add(change);
    }
    return Optional.of(new RequestChanges(more));
  }

  private static boolean covers(RequestChange known, RequestChange change) {
    return known.equals(change)
        || (known instanceof Lower lower
            && change instanceof Lower other
            && lower.field().equals(other.field())
            && lower.most() <= other.most());
  }
}
