package dev.errand.model;

import static java.util.stream.Collectors.toCollection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.errand.model.RequestChange.LeaveOut;
import dev.errand.model.RequestChange.LeaveOutOfParts;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the field of a request that a refusal names. */
final class RefusedName {

  private static final Set<String> NEVER =
      Set.of("model", "messages", "system", "tools", "options", "input", "prompt", "contents");

  private static final Set<String> NEVER_OF_PARTS =
      Set.of(
          "role",
          "content",
          "tool_calls",
          "tool_call_id",
          "tool_use_id",
          "id",
          "type",
          "name",
          "function",
          "arguments",
          "input",
          "text",
          "thinking",
          "signature",
          "data",
          "source",
          "description",
          "parameters",
          "input_schema",
          "tool_name",
          "stream",
          "model");

  private static final Pattern REFUSES =
      Pattern.compile(
          "(?i)support|permitted|allowed|unknown|unrecognized|unexpected|extra|forbidden|cannot|can't|invalid|illegal|deprecated"
              + "|only|must|requires?|should|not (?:available|enabled|implemented|valid)|no such|no endpoints|remove|不支持|非法|无效");

  /** The words of a server that fails instead of refusing. */
  private static final Pattern FAILS =
      Pattern.compile(
          "(?i)support|unexpected keyword|unknown|unrecognized|not implemented|no endpoints");

  /** Parameters that are meant by words of a sentence. */
  private static final Map<String, String> MEANT =
      Map.of(
          "does(?: not|n't) support thinking|thinking is not supported", "think",
          "parallel (?:tool|function) call", "parallel_tool_calls");

  private RefusedName() {}

  /**
   * @param failed whether the status says that the server failed, or found nothing
   */
  static Optional<RequestChange> in(String words, ObjectNode request, boolean failed) {
    if (!(failed ? FAILS : REFUSES).matcher(words).find()) {
      return Optional.empty();
    }
    var own = own(request);
    var ofParts = ofParts(request);
    return ofPlaces(words, own, ofParts)
        .or(() -> first(words, own, ofParts))
        .or(() -> meant(words, own));
  }

  private static Set<String> own(ObjectNode request) {
    var names =
        request
            .propertyStream()
            .map(Map.Entry::getKey)
            .filter(name -> !NEVER.contains(name) && !name.startsWith("max_"));
    var options =
        request.path("options").propertyStream().map(option -> "options." + option.getKey());
    var empty = request.path("tools").isArray() && request.path("tools").isEmpty();
    return Stream.of(names, options, empty ? Stream.of("tools") : Stream.<String>empty())
        .flatMap(some -> some)
        .collect(toCollection(LinkedHashSet::new));
  }

  private static Set<String> ofParts(ObjectNode request) {
    return RequestFields.parts(request)
        .flatMap(ObjectNode::propertyStream)
        .map(Map.Entry::getKey)
        .filter(name -> !NEVER_OF_PARTS.contains(name))
        .collect(toCollection(LinkedHashSet::new));
  }

  /**
   * Reads {@code "param": "temperature"} of OpenAI, {@code "loc": ["body", "stream_options"]} of
   * pydantic; the place of a field in messages ends with its name.
   */
  private static Optional<RequestChange> ofPlaces(
      String words, Set<String> own, Set<String> ofParts) {
    var places = Pattern.compile("(?m)^(?:param|loc|field): (.+)$").matcher(words);
    return places
        .results()
        .map(place -> place.group(1).strip())
        .flatMap(place ->
            List.of(place, place.replaceFirst("[.\\[].*", ""), place.replaceFirst(".*\\.", ""))
                .stream())
        .flatMap(name -> change(name, own, ofParts).stream())
        .findFirst();
  }

  private static Optional<RequestChange> change(String name, Set<String> own, Set<String> ofParts) {
    if (own.contains(name)) {
      return Optional.of(new LeaveOut(name));
    }
    return ofParts.contains(name) ? Optional.of(new LeaveOutOfParts(name)) : Optional.empty();
  }

  /** The first name in the sentence is refused; others explain it. */
  private static Optional<RequestChange> first(String words, Set<String> own, Set<String> ofParts) {
    var first = words.length();
    Optional<RequestChange> found = Optional.empty();
    for (var name : Stream.concat(own.stream(), ofParts.stream()).toList()) {
      var match = named(RequestFields.name(name)).matcher(words);
      if (match.find() && match.start(1) < first) {
        first = match.start(1);
        found = change(name, own, ofParts);
      }
    }
    return found;
  }

  /** A name that is also a word of a sentence has to be marked as a name. */
  private static Pattern named(String name) {
    var quoted = Pattern.quote(name).replace("_", "\\E[_ -]?\\Q");
    return Pattern.compile(
        name.contains("_") || name.equals("temperature")
            ? "(?i)(?<!\\w)(" + quoted + ")(?!\\w)"
            : "(?i)(?:['\"`](?:[\\w.\\[\\]]*\\.)?|(?m:^)\\w+: (?:[\\w.\\[\\]]*\\.)?(?=\\w+: )"
                + "|(?:parameters?|arguments?|fields?|property|keys?|options?|supplied|provided):? )("
                + quoted
                + ")(?!\\w)");
  }

  private static Optional<RequestChange> meant(String words, Set<String> own) {
    return MEANT.entrySet().stream()
        .filter(sentence -> own.contains(sentence.getValue()))
        .filter(sentence -> Pattern.compile("(?i)" + sentence.getKey()).matcher(words).find())
        .<RequestChange>map(sentence -> new LeaveOut(sentence.getValue()))
        .findFirst();
  }
}
