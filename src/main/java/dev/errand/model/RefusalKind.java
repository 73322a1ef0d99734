package dev.errand.model;

import dev.errand.model.ModelException.Code;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decides what kind of refusal an answer is, from its status and its words. */
final class RefusalKind {

  /** The answer of a proxy, not of the provider. */
  static final int PROXY_LOGIN = 407;

  private static final int PAYMENT_REQUIRED = 402;

  /** A request that is larger than what may be sent in a minute: OpenAI (429), Groq (413). */
  private static final Pattern OF_A_MINUTE =
      Pattern.compile(
          "(?i)(?:\\bper (?:min|minute|hour|day)|\\bTP[MDH])\\b.{0,40}\\blimit:? ([\\d,]+).{0,40}\\brequested:? ([\\d,]+)");

  private RefusalKind() {}

  /**
   * @param status of HTTP, or the status that corresponds to an error in another answer; 0 if there
   *     is none
   * @param namesTime whether the answer says when to come back. Then it is a rate limit, whatever
   *     it calls itself.
   */
  static Code of(int status, RefusalBody body, boolean namesTime) {
    if (status == PROXY_LOGIN) {
      return Code.MODEL_UNAUTHORIZED;
    }
    var known = RefusalTable.find(body.words());
    if (status == PAYMENT_REQUIRED || known.filter(Code.MODEL_QUOTA_EXCEEDED::equals).isPresent()) {
      return namesTime ? Code.MODEL_RATE_LIMITED : Code.MODEL_QUOTA_EXCEEDED;
    }
    var minute = OF_A_MINUTE.matcher(body.words());
    if (minute.find() && !namesTime) {
      return neverFits(minute) ? Code.MODEL_CONTEXT_EXCEEDED : Code.MODEL_RATE_LIMITED;
    }
    if (status == 429 || (status == 403 && namesTime)) {
      return Code.MODEL_RATE_LIMITED;
    }
    return known
        .filter(code -> mayBe(code, status))
        .or(() -> byRule(status, body))
        .orElseGet(() -> code(status));
  }

  private static boolean neverFits(Matcher minute) {
    return number(minute.group(2)) > number(minute.group(1));
  }

  private static double number(String digits) {
    return Double.parseDouble("0" + digits.replace(",", ""));
  }

  /** A status that says what it means is believed, except for what providers hide behind any. */
  private static boolean mayBe(Code code, int status) {
    return switch (code) {
      case MODEL_CONTEXT_EXCEEDED, MODEL_RATE_LIMITED -> true;
      case MODEL_UNAVAILABLE -> status < 500;
      default -> status == 0 || code(status) == Code.MODEL_REJECTED_REQUEST;
    };
  }

  private static Optional<Code> byRule(int status, RefusalBody body) {
    return status == 413 || LengthRule.matches(status, body.sentences())
        ? Optional.of(Code.MODEL_CONTEXT_EXCEEDED)
        : Optional.empty();
  }

  private static Code code(int status) {
    return switch (status) {
      case 401, 403 -> Code.MODEL_UNAUTHORIZED;
      case 404 -> Code.MODEL_NOT_FOUND;
      case 408 -> Code.MODEL_TIMEOUT;
      // 424: the model of Bedrock and of gateways failed. 498: no capacity, of Groq.
      case 0, 424, 425, 498 -> Code.MODEL_UNAVAILABLE;
      default -> status >= 500 ? Code.MODEL_UNAVAILABLE : Code.MODEL_REJECTED_REQUEST;
    };
  }
}
