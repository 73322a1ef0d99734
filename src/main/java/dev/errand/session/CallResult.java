package dev.errand.session;

import dev.errand.postgres.StorableText;
import dev.errand.secret.Secrets;

/** The result of a call. */
public record CallResult(String text, boolean isError) {

  /** Secrets are masked. The model reads what is stored. */
  public CallResult {
    text = Secrets.masked(StorableText.of(text));
  }
}
