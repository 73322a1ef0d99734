package dev.errand.secret;

import io.quarkus.logging.LoggingFilter;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import org.jboss.logmanager.ExtLogRecord;
import org.jspecify.annotations.Nullable;

/** Masks the messages and exceptions of the log. Lets every record pass. */
@LoggingFilter(name = "secrets")
public final class SecretLogFilter implements Filter {

  @Override
  public boolean isLoggable(LogRecord logged) {
    var record = ExtLogRecord.wrap(logged);
    var message = record.getFormattedMessage();
    if (message != null && Secrets.occurIn(message)) {
      record.setMessage(Secrets.masked(message), ExtLogRecord.FormatStyle.NO_FORMAT);
      record.setParameters(null);
    }
    var thrown = record.getThrown();
    if (thrown != null && hasSecret(thrown, Collections.newSetFromMap(new IdentityHashMap<>()))) {
      record.setThrown(new MaskedThrowable(thrown));
    }
    return true;
  }

  private static boolean hasSecret(@Nullable Throwable thrown, Set<Throwable> seen) {
    if (thrown == null || !seen.add(thrown)) {
      return false;
    }
    return Secrets.occurIn(String.valueOf(thrown))
        || hasSecret(thrown.getCause(), seen)
        || java.util.Arrays.stream(thrown.getSuppressed()).anyMatch(one -> hasSecret(one, seen));
  }

  /** Prints like another exception, whose messages it masks. Suppressed exceptions are left out. */
  private static final class MaskedThrowable extends Throwable {

    private static final long serialVersionUID = 1;

    private final String text;

    MaskedThrowable(Throwable original) {
      super(null, cause(original), false, true);
      this.text = Secrets.masked(original.toString());
      setStackTrace(original.getStackTrace());
    }

    private static @Nullable Throwable cause(Throwable original) {
      var cause = original.getCause();
      return cause == null || cause == original ? null : new MaskedThrowable(cause);
    }

    @Override
    public String getMessage() {
      return text;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
