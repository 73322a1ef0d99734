package dev.errand.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.errand.conversation.SessionId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageDeltaTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @ParameterizedTest
  @ValueSource(strings = {"a", "\"", "\\", "\u0001", "ä", "今", "😀"})
  void textOfANotificationHasAtMost4Kilobytes(String character) throws Exception {
    var text = character.repeat(10_000);
    var call = new SpokenCall(SessionId.next(), SessionId.next(), Long.MAX_VALUE, 1);

    var head = MessageDelta.head("x" + text);
    var delta = new MessageDelta(call, Instant.now(), Long.MAX_VALUE, head);
    var told = JSON.writeValueAsString(DeltaTexts.saying(delta));

    assertThat("x" + text).startsWith(head);
    assertThat((head.length() - 1) % character.length()).isZero();
    assertThat(told.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(2_500, 4_096 - 37);
    assertThat(DeltaTexts.delta(JSON.readTree(told))).contains(delta);
  }
}
