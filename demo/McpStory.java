package demo;

/** Hears what the client of the demo and the tasks do. */
interface McpStory {

  void delegates(int tasks);

  /** The client has ended its turn, while its tasks run. */
  void rests();

  /** The client is woken with the answer of a task. */
  void isTold(String answer);

  /** A task asks its model. */
  void works(String prompt);
}
