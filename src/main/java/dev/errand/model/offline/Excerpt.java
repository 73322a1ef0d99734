package dev.errand.model.offline;

import java.util.ArrayList;
import java.util.List;

/** Some lines of a file, first and last included. */
record Excerpt(String path, int first, int last) {

  private static final int MOST = 5;
  private static final int AROUND = 6;

  /** What to read to see these hits in their place, best first; neighbours share an excerpt. */
  static List<Excerpt> around(List<Hit> hits) {
    var excerpts = new ArrayList<Excerpt>();
    for (var hit : hits) {
      add(excerpts, new Excerpt(hit.path(), Math.max(1, hit.line() - AROUND), hit.line() + AROUND));
    }
    return excerpts;
  }

  private static void add(List<Excerpt> excerpts, Excerpt next) {
    for (var index = 0; index < excerpts.size(); index++) {
      if (excerpts.get(index).touches(next)) {
        excerpts.set(index, excerpts.get(index).with(next));
        return;
      }
    }
    if (excerpts.size() < MOST) {
      excerpts.add(next);
    }
  }

  private boolean touches(Excerpt other) {
    return path.equals(other.path) && first <= other.last + 1 && other.first <= last + 1;
  }

  private Excerpt with(Excerpt other) {
    return new Excerpt(path, Math.min(first, other.first), Math.max(last, other.last));
  }
}
