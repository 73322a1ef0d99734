package dev.errand.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdsTest {

  @Test
  void writtenIdCanBeParsed() {
    var id = new SessionId(UUID.fromString("f19fd112-c10c-7808-925c-6e16d031f170"));

    assertThat(id.toString()).isEqualTo("ses_f19fd112c10c7808925c6e16d031f170");
    assertThat(SessionId.parse(id.toString())).contains(id);
  }

  @Test
  void laterIdsSortLater() {
    var first = TaskId.next();
    var second = TaskId.next();

    assertThat(first.toString()).isLessThan(second.toString());
    assertThat(first.value().version()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ses_",
        "f19fd112c10c7808925c6e16d031f170",
        "task_f19fd112c10c7808925c6e16d031f170",
        "ses_f19fd112c10c7808925c6e16d031f17",
        "ses_f19fd112c10c7808925c6e16d031f1700",
        "ses_+19fd112c10c7808925c6e16d031f170",
        "ses_g19fd112c10c7808925c6e16d031f170",
        "ses_f19fd112-c10c-7808-925c6e16d031f1"
      })
  void otherTextsAreNotSessionIds(String text) {
    assertThat(SessionId.parse(text)).isEmpty();
  }
}
