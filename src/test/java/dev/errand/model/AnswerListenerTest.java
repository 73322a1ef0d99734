package dev.errand.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What is heard of an answer while it arrives. */
@ParameterizedClass
@MethodSource("wires")
class AnswerListenerTest extends ProviderContract {

  AnswerListenerTest(Wire wire) {
    super(wire);
  }

  /** A request whose answers are written down, with a mark when they are whole. */
  private static final class HeardRequest implements RequestSource, AnswerListener {

    private final List<String> heard = new ArrayList<>();

    @Override
    public ModelRequest make() {
      return ask("Hi.");
    }

    @Override
    public long tokens() {
      return 0;
    }

    @Override
    public void sent() {}

    @Override
    public AnswerListener listener() {
      heard.add("begins");
      return this;
    }

    @Override
    public boolean wantsWords() {
      return true;
    }

    @Override
    public void hear(String words, boolean whole) {
      heard.add(words + (whole ? " (whole)" : ""));
    }
  }

  private List<String> heard(String answer) {
    answer(ok(answer));
    var request = new HeardRequest();
    var ignored = model(server.baseUrl(), Map.of()).reply(request);
    return request.heard.stream().distinct().toList();
  }

  @Test
  void wordsAreHeardUntilTheyAreWhole() {
    var heard = heard(wire.hello());

    assertThat(heard).startsWith("begins").endsWith("Hello there. (whole)");
    if (wire.streaming()) {
      assertThat(heard).containsSubsequence("Hello", "Hello there. (whole)");
    }
  }

  @Test
  void callsAreNotHeard() {
    assertThat(heard(wire.twoCalls()))
        .isSubsetOf("begins", "Looking.", "Looking. (whole)")
        .endsWith("Looking. (whole)");
  }

  @Test
  void thoughtsAreNotHeard() {
    var answer = wire.signedCalls();
    assumeThat(answer).isPresent();

    assertThat(heard(answer.get())).isSubsetOf("begins", "Looking.", "Looking. (whole)");
  }
}
