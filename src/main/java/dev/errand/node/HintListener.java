package dev.errand.node;

/** Someone who acts on hints. Found by CDI. */
public interface HintListener {

  Topic topic();

  /**
   * Looks for work. Never called twice at the same time; several hints in a row may cost one call.
   */
  void hinted();
}
