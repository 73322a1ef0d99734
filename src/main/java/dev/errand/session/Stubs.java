package dev.errand.session;

/**
 * Which results of tools are left out of what a model gets.
 *
 * @param toSeq results in messages up to this place are left out
 * @param atSeq the place of the next message when {@code toSeq} was moved there: the usage of
 *     earlier answers is that of a longer conversation
 */
public record Stubs(long toSeq, long atSeq) {

  public static final Stubs NONE = new Stubs(0, 0);
}
