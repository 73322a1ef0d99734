package dev.errand.node;

/** Acts on hints of one topic. Implementations are found by CDI. */
public interface HintListener {

  Topic topic();

  /** Looks for work. Calls do not overlap; several hints in a row may result in one call. */
  void hinted();
}
