package dev.errand.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.errand.node.HintSender.Hint;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HintTest {

  private static final UUID SENDER = UUID.fromString("019a0000-0000-7000-8000-00000000000a");

  @Test
  void hintIsReadAsItWasWritten() {
    var hint = new Hint(SENDER, Set.of(Topic.WORK, Topic.ENDS));

    assertThat(Hint.parse(hint.payload())).contains(hint);
  }

  @Test
  void unknownAndRepeatedTopicsOfANewerNodeAreAccepted() {
    assertThat(Hint.parse(SENDER + " RUNS,RUNS,NEW_TOPIC"))
        .contains(new Hint(SENDER, Set.of(Topic.RUNS)));
    assertThat(Hint.parse(SENDER + " ")).contains(new Hint(SENDER, Set.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "x",
        "WORK",
        "not-a-uuid WORK",
        "019a0000-0000-7000-8000-00000000000a",
        "{\"sender\": \"019a0000-0000-7000-8000-00000000000a\"}"
      })
  void otherTextIsNotAHint(String payload) {
    assertThat(Hint.parse(payload)).isEmpty();
  }
}
