/** The workflows. */
interface Agents {

  /** Waits, so that messages can be sent to it. */
  void idle();

  /**
   * Receives results.
   *
   * @param session whose transcript gets them
   * @param results how many
   */
  void parent(String session, int results);

  /**
   * Does a task.
   *
   * @param parent the workflow that receives the result
   */
  void child(String parent, String prompt);
}
