package dev.errand.node;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A notification from one node to the others: {@code <node id> TOPIC,TOPIC}. */
record Hint(UUID sender, Set<Topic> topics) {

  private static final Pattern PAYLOAD =
      Pattern.compile("(\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12}) (.*)");

  /**
   * Reads a payload. Topics that this version does not know are left out, because a newer node may
   * send them. Any other text gives an empty result: every client of the database may notify.
   */
  static Optional<Hint> parse(String payload) {
    var matcher = PAYLOAD.matcher(payload);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    var names = Arrays.asList(matcher.group(2).split(","));
    var topics = EnumSet.allOf(Topic.class);
    topics.removeIf(topic -> !names.contains(topic.name()));
    return Optional.of(new Hint(UUID.fromString(matcher.group(1)), topics));
  }

  String payload() {
    return sender + " " + topics.stream().map(Topic::name).collect(Collectors.joining(","));
  }
}
