package dev.errand.model;

import java.util.Map;

/** What one provider sends and wants to be sent, written by hand from its documentation. */
interface Wire {

  boolean streaming();

  /** As {@link LanguageModels} knows it. */
  String model();

  /** Where the endpoint is and the key to it; the key is {@code sk-secret}. */
  Map<String, String> properties(String serverUrl);

  /** Where requests are posted. */
  String path();

  String contentType();

  /** Says {@code Hello there.}; 12 tokens in, 5 out. */
  String hello();

  /**
   * Says {@code Looking.} and calls {@code grep {"pattern": "x"}} and {@code read {"file_path":
   * "a.txt", "limit": 5}}.
   */
  String twoCalls();

  /** Neither words nor calls. */
  String empty();

  /** {@link #twoCalls} when the connection ended properly but too early. */
  String cut();

  /** An error body with the words {@code Something is wrong}. */
  String error();

  /** What must be sent of the conversation of {@link ProviderReplyTest#followUp}. */
  String followUp();

  /** What must be sent of a tool. */
  String tool();
}
