package dev.errand.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.RequestChange.AddReasoning;
import dev.errand.model.RequestChange.AddSignature;
import dev.errand.model.RequestChange.AskForTheWhole;
import dev.errand.model.RequestChange.InstructionsAsUser;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds the change that a refusal asks for. */
final class RefusedRequest {

  /** OpenRouter has no endpoint for a parameter (404); local servers fail on one (500, 501). */
  private static final Set<Integer> STATUSES = Set.of(400, 404, 422, 500, 501);

  /** DeepSeek: GitNexus#43, 9router#801; Moonshot: litellm#26156. */
  private static final Pattern NO_REASONING =
      ignoringCase(
          "missing[^\\n]{0,20}reasoning_content|reasoning_content[^\\n]{0,40}(?:missing|required|must be (?:passed|provided|included))");

  /** Gemini and Vertex: apiyi.com/faq/gemini-thought-signature-missing. */
  private static final Pattern NO_SIGNATURE =
      ignoringCase("missing[^\\n]{0,20}thought_?signature|thought_?signature[^\\n]{0,20}missing");

  private static final Pattern BAD_SIGNATURE =
      ignoringCase(
          "(?:invalid|corrupted)[^\\n]{0,10}thought[_ ]?signature|thought[_ ]?signature[^\\n]{0,20}(?:invalid|not valid)");

  /** OpenAI (o1-mini), Gemma at Gemini ("Developer instruction is not enabled"), templates. */
  private static final Pattern NO_INSTRUCTIONS =
      ignoringCase(
          "(?:system|developer)(?: |_)?(?:roles?|messages?|prompts?|instructions?)\\b[^\\n]{0,40}(?:not (?:supported|enabled|allowed|available)|unsupported)"
              + "|does(?: not|n't) support (?:the )?['\"`]?(?:system|developer)\\b|only (?:supports? )?user(?:,| and) assistant");

  private static final Pattern NO_STREAM =
      ignoringCase(
          "stream(?:ing)?['\"`]?(?: (?:mode|response|is|are|with \\w+))* (?:not |un)supported|(?:does(?: not|n't)|not) support(?:ed)?:? ['\"`]?stream(?:ing)?\\b(?!_)"
              + "|'stream' does not support true|streaming is (?:disabled|not allowed|not available)");

  private RefusedRequest() {}

  private static Pattern ignoringCase(String words) {
    return Pattern.compile("(?i)" + words);
  }

  static Optional<RequestChange> change(int status, RefusalBody body, ObjectNode request) {
    if (!STATUSES.contains(status)) {
      return Optional.empty();
    }
    return missing(body.words(), request)
        .or(() -> AnswerLimit.in(body.words(), request))
        .or(() -> isOfTheRequest(status, body) ? named(status, body, request) : Optional.empty());
  }

  private static Optional<RequestChange> missing(String words, ObjectNode request) {
    if (has(NO_REASONING, words)) {
      return Optional.of(new AddReasoning());
    } else if (has(BAD_SIGNATURE, words)) {
      return Optional.of(new AddSignature(true));
    } else if (has(NO_SIGNATURE, words)) {
      return Optional.of(new AddSignature(false));
    }
    return has(NO_INSTRUCTIONS, words)
            && InstructionsAsUser.instructions(request).findAny().isPresent()
        ? Optional.of(new InstructionsAsUser())
        : Optional.empty();
  }

  /** Tells whether no other kind of refusal is about this status. */
  private static boolean isOfTheRequest(int status, RefusalBody body) {
    return switch (RefusalKind.of(status, body, false)) {
      case MODEL_REJECTED_REQUEST, MODEL_UNAVAILABLE, MODEL_NOT_FOUND -> true;
      default -> RefusalTable.find(body.words()).isEmpty();
    };
  }

  private static Optional<RequestChange> named(int status, RefusalBody body, ObjectNode request) {
    if (request.path("stream").asBoolean() && has(NO_STREAM, body.words())) {
      return Optional.of(new AskForTheWhole());
    }
    return RefusedName.in(body.words(), request, status >= 404 && status != 422);
  }

  private static boolean has(Pattern pattern, String words) {
    return pattern.matcher(words).find();
  }
}
