/** How much of Errand's work the program does; each level includes the one before. */
enum Level {
  /** Children send their results, which no parent receives. */
  BARE,

  /** Parents receive the results. */
  DELIVERED,

  /** The transcripts and the changes of tasks are stored, for clients to read and to follow. */
  OBSERVABLE
}
