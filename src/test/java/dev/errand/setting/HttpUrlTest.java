package dev.errand.setting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpUrlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "https://api.example.com/v1 | https://api.example.com/v1",
        "HTTPS://API.example.com/v1 | https://API.example.com/v1",
        "`  https://api.example.com/v1  ` | https://api.example.com/v1",
        "\"https://api.example.com/v1\" | https://api.example.com/v1",
        "' https://api.example.com/v1 ' | https://api.example.com/v1",
        "“https://api.example.com/v1” | https://api.example.com/v1",
        "https://api.example.com: | https://api.example.com",
        "https://modèle.example/v1 | https://xn--modle-6ra.example/v1",
        "https://api.example.com/é?a=b | https://api.example.com/%C3%A9?a=b",
        "http://[::1]:11434/v1 | http://[::1]:11434/v1",
        "http://[::1] | http://[::1]",
        "http://localhost:8000?x=%20 | http://localhost:8000?x=%20",
        "http://gpu-1:8000/v1 | http://gpu-1:8000/v1",
      })
  void isReadAsMeant(String text, String url) {
    assertThat(HttpUrl.read(text)).hasToString(url);
  }

  @Test
  void lineEndsAndInvisibleCharactersAroundItAreLeftOut() {
    assertThat(HttpUrl.read("\uFEFFhttps://api.example.com/v1\u200B\r\n"))
        .hasToString("https://api.example.com/v1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "api.example.com/v1 | must begin with https:// or http://, for example https://api.example.com/v1",
        "localhost:11434 | for example http://localhost:11434",
        "192.168.1.7:8000/v1 | for example http://192.168.1.7:8000/v1",
        "https:/api.example.com | must begin with https:// or http://",
        "https:\\\\api.example.com | must begin with https:// or http://",
        "//api.example.com/v1 | must begin with https:// or http://",
        "ftp://api.example.com | must begin with https:// or http://",
        "ws://api.example.com | must begin with https:// or http://",
        "OPENAI_BASE_URL=https://api.example.com | must begin with https:// or http://",
        "https:// | must name a host",
        "https:///v1 | must name a host",
        "https://user:secret1234@api.example.com/v1 | must not contain a user name or password",
        "https://sk-secret1234@api.example.com/v1 | must not contain a user name or password",
        "https://api.example.com/v1#secret1234 | must not have a fragment",
        "https://api.example.com:0/v1 | must have a port from 1 to 65535",
        "https://api.example.com:65536/v1 | must have a port from 1 to 65535",
        "https://api.example.com:https/v1 | must have a port from 1 to 65535",
        "https://api.example.com:-1/v1 | must have a port from 1 to 65535",
        "https://my_service:8000/v1 | must have a host name of letters, digits, '-' and '.' only",
        "https://{resource}.example.com/v1 | must have a host name of letters",
        "https://$HOST/v1 | must have a host name of letters",
        "https://api example.com/v1 | must have a host name of letters",
        "https://api.example.com/{version}/secret1234 | must not contain '{'",
        "https://api.example.com/v 1 | must not contain ' '",
        "https://api.example.com/<path> | must not contain '<'",
        "https://https://api.example.com/v1 | must have one slash between its host and its path",
        "https://[::1/v1 | must",
        "`` | must begin with https:// or http://",
      })
  void isRefusedWithWhatWouldBeRight(String text, String problem) {
    assertThatThrownBy(() -> HttpUrl.read(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem)
        .hasMessageNotContaining("secret1234");
  }
}
