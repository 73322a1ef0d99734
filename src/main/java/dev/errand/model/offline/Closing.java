package dev.errand.model.offline;

import java.util.List;
import java.util.stream.Collectors;

/** The last turn of somebody who may call nothing more: sums up what the transcript holds. */
final class Closing {

  private final Transcript transcript;

  Closing(Transcript transcript) {
    this.transcript = transcript;
  }

  Step next() {
    var exchanges = transcript.exchanges();
    if (exchanges.stream().anyMatch(exchange -> exchange.of("grep"))) {
      return Step.says(new Report(Findings.of(exchanges, words()), exchanges).text());
    }
    if (!transcript.notices().isEmpty()) {
      return Step.says(
          transcript.notices().stream().map(Summary::of).collect(Collectors.joining("\n\n")));
    }
    if (exchanges.stream().anyMatch(exchange -> exchange.of("list") || exchange.of("glob"))) {
      return Step.says(Tree.described(exchanges));
    }
    return Step.says("I have no tools to work with, and nothing was found so far.");
  }

  /** Of every request: the last one may only ask to come to an end. */
  private List<Word> words() {
    return transcript.messages().stream()
        .filter(Transcript::isRequest)
        .flatMap(message -> Words.of(message.text()).stream())
        .toList();
  }
}
