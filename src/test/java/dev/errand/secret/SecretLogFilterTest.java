package dev.errand.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.Level;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.Test;

class SecretLogFilterTest {

  private static final String KEY = "canary-of-the-log";

  static {
    Secrets.register(KEY);
  }

  @Test
  void messagesAndParametersAreMasked() {
    var record =
        new ExtLogRecord(Level.INFO, "%s says %s", ExtLogRecord.FormatStyle.PRINTF, "test");
    record.setParameters(new Object[] {"it", KEY});

    assertThat(new SecretLogFilter().isLoggable(record)).isTrue();

    assertThat(record.getFormattedMessage()).isEqualTo("it says ***");
  }

  @Test
  void exceptionsAndTheirCausesAreMasked() {
    var record = new ExtLogRecord(Level.WARNING, "failed", "test");
    record.setThrown(
        new IllegalStateException("outer", new IllegalArgumentException("key " + KEY)));

    new SecretLogFilter().isLoggable(record);

    var printed = new StringWriter();
    record.getThrown().printStackTrace(new PrintWriter(printed));
    assertThat(printed.toString())
        .contains("IllegalStateException: outer", "IllegalArgumentException: key ***")
        .contains("at dev.errand.secret.SecretLogFilterTest")
        .doesNotContain(KEY);
  }

  @Test
  void recordsWithoutASecretAreNotChanged() {
    var record = new ExtLogRecord(Level.INFO, "{0} % {1}", "test");
    var fault = new IllegalStateException("x");
    record.setThrown(fault);
    record.setParameters(new Object[] {"a", "b"});

    new SecretLogFilter().isLoggable(record);

    assertThat(record.getFormattedMessage()).isEqualTo("a % b");
    assertThat(record.getThrown()).isSameAs(fault);
  }
}
