package dev.errand.bench;

/**
 * How much of the service's work the program with DBOS does. The names are those of {@code
 * src/test/dbos/Level.java}.
 */
enum DbosLevel {
  /** Children send their results, which no parent receives. */
  BARE("A", new Rows(1, 1, 0, 0, 0, 0)),

  /** Parents receive the results. */
  DELIVERED("B", new Rows(1, 1, 1, 0, 0, 0)),

  /** Transcripts and changes are stored, and a client follows the changes. */
  OBSERVABLE("C", new Rows(1, 1, 1, 3, 1, 5));

  private final String letter;
  private final Rows perTask;

  DbosLevel(String letter, Rows perTask) {
    this.letter = letter;
    this.perTask = perTask;
  }

  /**
   * What the program has in its database.
   *
   * @param ended children
   * @param sent results
   * @param received results
   * @param messages entries of transcripts
   * @param answers entries of transcripts with tokens
   * @param changes entries of streams
   */
  record Rows(long ended, long sent, long received, long messages, long answers, long changes) {

    private Rows times(long tasks) {
      return new Rows(
          ended * tasks,
          sent * tasks,
          received * tasks,
          messages * tasks,
          answers * tasks,
          changes * tasks);
    }
  }

  String letter() {
    return letter;
  }

  /**
   * @throws IllegalStateException rows are missing, or there are too many
   */
  void check(Rows rows, long tasks) {
    var expected = perTask.times(tasks);
    if (!rows.equals(expected)) {
      throw new IllegalStateException(this + ": " + rows + ", not " + expected);
    }
  }
}
