package dev.errand.tool.patch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies hunks to a text that may have changed since the patch was made. A hunk applies where the
 * lines around its change are, which may be further up or down; the nearest place counts. A hunk
 * whose result is already there needs nothing. If an outer line was changed, it applies where the
 * nearest lines are, provided that these occur only once. A hunk at the start or the end of the old
 * text applies only there.
 */
final class TextMerge {

  /** Bounds the search in a text that consists of equal lines. */
  private static final long MAX_COMPARISONS = 50_000_000;

  private final List<String> lines;
  private final List<String> result = new ArrayList<>();
  private final List<Hunk> rejected = new ArrayList<>();
  private long comparisons;
  private int used;
  private int shift;

  private TextMerge(List<String> lines) {
    this.lines = lines;
  }

  /**
   * The merged text.
   *
   * @param rejected the hunks that do not apply; without them in the content
   */
  record Merged(byte[] content, List<Hunk> rejected) {}

  static Merged merge(byte[] text, List<Hunk> hunks) {
    var merge = new TextMerge(lines(new String(text, StandardCharsets.ISO_8859_1)));
    hunks.forEach(merge::apply);
    merge.copyUntil(merge.lines.size());
    var content = String.join("", merge.result).getBytes(StandardCharsets.ISO_8859_1);
    return new Merged(content, merge.rejected);
  }

  /** Splits a text after each line end. */
  static List<String> lines(String text) {
    var lines = new ArrayList<String>();
    for (int at = 0; at < text.length(); ) {
      var end = text.indexOf('\n', at);
      end = end < 0 ? text.length() : end + 1;
      lines.add(text.substring(at, end));
      at = end;
    }
    return lines;
  }

  private void apply(Hunk hunk) {
    var near = hunk.narrowed();
    var place = nearest(hunk, hunk.before());
    if (place >= 0) {
      replace(hunk, place, hunk.before().size(), hunk.after());
      return;
    }
    // Before the narrower search: an inserted block may itself contain the few lines of that.
    place = nearest(hunk, hunk.after());
    if (place >= 0) {
      replace(hunk, place, hunk.after().size(), hunk.after());
      return;
    }
    place = only(near);
    if (place >= 0) {
      replace(near, place, near.before().size(), near.after());
      return;
    }
    rejected.add(hunk);
  }

  private void replace(Hunk hunk, int place, int count, List<String> after) {
    copyUntil(place);
    result.addAll(after);
    used = place + count;
    shift = place - hunk.start() + count - hunk.before().size();
  }

  private void copyUntil(int end) {
    result.addAll(lines.subList(used, end));
    used = end;
  }

  /** Returns the place of the lines that is nearest to where they are expected; -1 if none. */
  private int nearest(Hunk hunk, List<String> wanted) {
    var last = lines.size() - wanted.size();
    var atStart = hunk.start() == 0 && (hunk.leading() == 0 || hunk.leading() < hunk.trailing());
    if (atStart || hunk.trailing() == 0) {
      var place = atStart ? 0 : last;
      var fits = isAt(place, wanted) && (hunk.trailing() > 0 || place == last);
      return fits ? place : -1;
    }
    var expected = Math.clamp(hunk.start() + (long) shift, used, Math.max(used, last));
    for (int distance = 0; expected - distance >= used || expected + distance <= last; distance++) {
      if (isAt(expected - distance, wanted)) {
        return expected - distance;
      }
      if (isAt(expected + distance, wanted)) {
        return expected + distance;
      }
    }
    return -1;
  }

  /** Returns the only place of the lines; -1 if there is none, or more than one. */
  private int only(Hunk near) {
    if (near.leading() == 0 || near.trailing() == 0) {
      return -1;
    }
    var found = -1;
    for (int place = used; place <= lines.size() - near.before().size(); place++) {
      if (isAt(place, near.before())) {
        if (found >= 0) {
          return -1;
        }
        found = place;
      }
    }
    return found;
  }

  private boolean isAt(int place, List<String> wanted) {
    if (place < used || place > lines.size() - wanted.size()) {
      return false;
    }
    for (int i = 0; i < wanted.size(); i++) {
      if (++comparisons > MAX_COMPARISONS) {
        throw new UnusablePatch("the search for its places takes too long");
      }
      if (!lines.get(place + i).equals(wanted.get(i))) {
        return false;
      }
    }
    return true;
  }
}
