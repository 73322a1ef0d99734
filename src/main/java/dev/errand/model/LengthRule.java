package dev.errand.model;

import java.util.regex.Pattern;

/**
 * Decides whether a refusal in words that no table knows means that the conversation is too long:
 * it speaks of tokens, length, context or input together with a number or with long, exceed or
 * maximum, and of no part of the request that stays as it is when the conversation is shortened.
 */
final class LengthRule {

  /** How validators begin their sentences; says nothing about the conversation. */
  private static final Pattern PHRASE =
      Pattern.compile("(?i)\\b(?:input validation error|extra inputs?|input should)\\b");

  private static final Pattern SUBJECT =
      words("tokens?|lengths?|context|inputs?|prompts?|conversation");

  private static final Pattern TOKENS = words("tokens");

  private static final Pattern CONVERSATION =
      words("inputs?|prompts?|messages?|context|conversation|history");

  private static final Pattern EXCESS =
      words(
          "exceed\\w*|longer|too (?:long|large|many|big)|overflow\\w*|over the limit|(?:more|larger|greater) than");

  private static final Pattern LIMIT = words("max|maximum|limits?|long|at most");

  /** Not a status that a gateway quotes. */
  private static final Pattern NUMBER =
      Pattern.compile("(?<![\\w.-])(?!(?:4\\d\\d|5[0-3]\\d)\\b)\\d{3,}(?:,\\d{3})*(?![\\w-])");

  private static final Pattern OF_THE_ANSWER =
      Pattern.compile(
          "(?i)max[_ ]?(?:completion|output|new)?[_ ]?tokens|num_predict|(?:completion|output) tokens"
              + "|maximum tokens you requested|budget_tokens");

  private static final Pattern OF_A_PART =
      words(
          "tools?(?:_\\w+)?|functions?(?:_\\w+)?|declarations?|descriptions?|names?|schemas?|nest(?:ed|ing)|depth|properties"
              + "|enum|stop|images?|audio|videos?|pdf|files?|documents?|attachments?|metadata|call[_ ]ids?|labels?|temperature"
              + "|top_[pk]|logprobs");

  /** Faults that a shorter conversation does not mend, unless the sentence speaks of an excess. */
  private static final Pattern OTHER_FAULT =
      words(
          "not (?:supported|permitted|allowed|valid|found|available|enabled|recognized)|does(?: not|n't) support"
              + "|unsupported|unknown|unrecognized|unexpected|extra|missing|required|should be|must be a|must contain|valid \\w+"
              + "|invalid (?:token|json|role|type|format|character)|json|pars(?:e|ing)|decode|unmarshal|utf-8|encoding|roles?"
              + "|alternat\\w+|thinking|signature|reasoning|position \\d+|column|line \\d+|policy|safety|filter\\w*");

  private LengthRule() {}

  /**
   * @param sentences what the provider says to people, without codes
   */
  static boolean matches(int status, String sentences) {
    var said = PHRASE.matcher(sentences).replaceAll("");
    return (status == 400 || status == 413 || status == 422)
        && has(SUBJECT, said)
        && (isExcessOfTokens(said) || (!isOfAPart(said) && isExcess(said)));
  }

  private static boolean isExcessOfTokens(String said) {
    return has(CONVERSATION, said) && has(TOKENS, said) && has(EXCESS, said) && has(NUMBER, said);
  }

  private static boolean isOfAPart(String said) {
    return has(OF_A_PART, said) || (has(OF_THE_ANSWER, said) && !has(CONVERSATION, said));
  }

  private static boolean isExcess(String said) {
    return has(EXCESS, said)
        || (!has(OTHER_FAULT, said) && (has(LIMIT, said) || has(NUMBER, said)));
  }

  private static boolean has(Pattern words, String said) {
    return words.matcher(said).find();
  }

  private static Pattern words(String words) {
    return Pattern.compile("(?i)\\b(?:" + words + ")\\b");
  }
}
