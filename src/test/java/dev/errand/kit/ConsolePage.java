package dev.errand.kit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The browser of a class that looks at the console. A test fails when a page writes to its console,
 * breaks its security policy, throws, or sends a request to another origin. What the window shows
 * at the end of each test is kept in {@code target/screenshots}.
 */
public final class ConsolePage implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final Path PROFILES = Path.of("target", "browsers");

  private final List<Predicate<String>> expected = new ArrayList<>();
  private @Nullable Browser started;

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    started = fresh();
  }

  /** A browser with an empty profile, of which nothing is checked. */
  public static Browser fresh() throws IOException {
    Files.createDirectories(PROFILES);
    return Browser.start(Files.createTempDirectory(PROFILES, "browser"));
  }

  public Browser browser() {
    return requireNonNull(started);
  }

  /** Opens the page with this path below {@code /console/}. */
  public Browser open(Service service, String path) {
    browser().open(service.uri("/console/" + path).toString());
    return browser();
  }

  /** Messages that contain a match are expected in this test; each expected one must occur. */
  public void expect(String message) {
    expected.add(Pattern.compile(message).asPredicate());
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    var name =
        context.getRequiredTestClass().getSimpleName()
            + "."
            + context.getRequiredTestMethod().getName();
    Files.createDirectories(SCREENSHOTS);
    Files.write(SCREENSHOTS.resolve(name + ".png"), browser().screenshot());
    var messages = browser().messages();
    var wanted = List.copyOf(expected);
    expected.clear();
    assertThat(messages.stream().filter(text -> wanted.stream().noneMatch(one -> one.test(text))))
        .as("messages of the page")
        .isEmpty();
    assertThat(browser().foreignRequests()).isEmpty();
    assertThat(wanted).allMatch(one -> messages.stream().anyMatch(one));
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    browser().close();
  }
}
