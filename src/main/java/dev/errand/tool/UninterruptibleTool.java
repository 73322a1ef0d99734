package dev.errand.tool;

/**
 * A tool whose calls are not interrupted, because it uses the database and an interrupt would break
 * a pooled connection.
 */
public interface UninterruptibleTool extends Tool {

  @Override
  default boolean interruptible() {
    return false;
  }
}
