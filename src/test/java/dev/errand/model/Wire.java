package dev.errand.model;

import dev.errand.tenant.TenantModels;
import java.util.Map;
import java.util.Optional;

/** The requests and answers of one provider, written by hand from its documentation. */
interface Wire {

  boolean streaming();

  /** The name of the provider in {@link LanguageModels}. */
  String model();

  /** The properties for its endpoint and key; the key is {@code sk-secret}. */
  Map<String, String> properties(String serverUrl);

  /** The tenant that calls; the endpoint and the key are its own, or else those of the service. */
  default TenantModels tenant(String serverUrl) {
    return TenantModels.OF_SERVICE;
  }

  /** The path of requests. */
  String path();

  String contentType();

  /** An answer with the text {@code Hello there.}, 12 input and 5 output tokens. */
  String hello();

  /**
   * An answer with the text {@code Looking.} that calls {@code grep {"pattern": "x"}} and {@code
   * read {"file_path": "a.txt", "limit": 5}}.
   */
  String twoCalls();

  /**
   * {@link #twoCalls} with the thought {@code Let me see.}, and with the signature {@code sig} that
   * belongs to it or to the first call; empty if the provider sends none.
   */
  default Optional<String> signedCalls() {
    return Optional.empty();
  }

  /** An answer without text and calls. */
  String empty();

  /** {@link #twoCalls}, but the connection ends properly and too early. */
  String cut();

  /** An error body with the text {@code Something is wrong}. */
  String error();

  /** The expected request for the conversation of {@link ProviderReplyTest#followUp}. */
  String followUp();

  /** The expected form of a tool in a request. */
  String tool();
}
