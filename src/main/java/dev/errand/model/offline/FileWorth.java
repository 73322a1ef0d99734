package dev.errand.model.offline;

import java.util.regex.Pattern;

/** How much a hit in a kind of file tells of how things work: 1 for code that people write. */
final class FileWorth {

  private static final double MACHINE_MADE = 0.05;
  private static final double ABOUT_THE_CODE = 0.5;
  private static final int MINIFIED_LINE = 400;

  private static final Pattern MADE_BY_MACHINES =
      Pattern.compile(
          "(?i)(.*/)?((target|build|dist|node_modules|vendor|generated|\\.git|\\.idea)/.*"
              + "|[^/]*(\\.lock|-lock\\.\\w+|\\.min\\.\\w+|\\.map|\\.sum|\\.svg|\\.log))");

  private static final Pattern TESTS_AND_WORDS =
      Pattern.compile(
          "(?i)(.*/)?((tests?|__tests__|specs?|testdata|fixtures|docs?)/.*"
              + "|[^/]*([._-](test|spec)\\.\\w+|Tests?\\.\\w+|\\.(md|txt|adoc|rst))|test_[^/]*"
              + "|(changelog|readme|license|notice)[^/]*)");

  private FileWorth() {}

  static double of(Hit hit) {
    if (hit.text().length() > MINIFIED_LINE || MADE_BY_MACHINES.matcher(hit.path()).matches()) {
      return MACHINE_MADE;
    }
    return TESTS_AND_WORDS.matcher(hit.path()).matches() ? ABOUT_THE_CODE : 1;
  }
}
