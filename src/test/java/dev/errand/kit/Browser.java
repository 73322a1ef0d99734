package dev.errand.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Chromium without windows and what a person does with it. Every name that ends in {@code
 * .example} is this machine.
 */
public final class Browser implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration ELEMENT_LIMIT = Duration.ofSeconds(30);
  private static final Set<String> REQUESTS =
      Set.of("Network.requestWillBeSent", "Network.webSocketCreated");

  private final WebDriver driver;
  private final String session;
  private final Set<String> opened = new HashSet<>();

  private Browser(Path folder) throws IOException {
    driver = new WebDriver(folder);
    session = driver.session();
  }

  /**
   * Starts a browser with an empty profile in this folder. Without chromedriver the test is skipped
   * or fails, see {@link Program}.
   */
  public static Browser start(Path folder) throws IOException {
    return new Browser(folder);
  }

  /** Keys without a character, as {@link #type} sends them. */
  public static final class Key {

    public static final String TAB = "\uE004";
    public static final String ENTER = "\uE007";
    public static final String LEFT = "\uE012";
    public static final String UP = "\uE013";
    public static final String RIGHT = "\uE014";
    public static final String DOWN = "\uE015";

    private Key() {}
  }

  /** Opens a page, as if its address was typed. */
  public void open(String url) {
    opened.add(origin(url));
    send("POST", session + "/url", Map.of("url", url));
  }

  public void deleteCookies() {
    developerTools("Network.clearBrowserCookies", Map.of());
  }

  /** The text of the first frame of the page. */
  public String frameText() {
    send("POST", session + "/frame", Map.of("id", 0));
    var text = run("return document.documentElement.textContent;").asText();
    send("POST", session + "/frame/parent", Map.of());
    return text;
  }

  /** Goes back in the history. */
  public void back() {
    send("POST", session + "/back", Map.of());
  }

  public void reload() {
    send("POST", session + "/refresh", Map.of());
  }

  /** Returns the text of the first element of a CSS selector; empty when there is none. */
  public String text(String selector) {
    return run("return document.querySelector(args[0])?.textContent ?? '';", selector).asText();
  }

  /** Waits until the first element of a CSS selector contains a text. */
  public void awaitText(String selector, String part) {
    await().atMost(ELEMENT_LIMIT).untilAsserted(() -> assertThat(text(selector)).contains(part));
  }

  /** Waits until a CSS selector has this many elements. */
  public void awaitCount(String selector, int expected) {
    await()
        .atMost(ELEMENT_LIMIT)
        .untilAsserted(() -> assertThat(count(selector)).as(selector).isEqualTo(expected));
  }

  public int count(String selector) {
    return run("return document.querySelectorAll(args[0]).length;", selector).asInt();
  }

  /** Clicks where the element is, which fails when something covers it. Waits for the element. */
  public void click(String selector) {
    onElement("css selector", selector, "/click", Map.of());
  }

  /** Clicks the first button or link with exactly this text. Waits for it. */
  public void clickText(String text) {
    var path = "//*[self::button or self::a][normalize-space()='%s']".formatted(text);
    onElement("xpath", path, "/click", Map.of());
  }

  /** Types keys into an element; {@link Key} has those without a character. */
  public void type(String selector, String keys) {
    onElement("css selector", selector, "/value", Map.of("text", keys));
  }

  /** A page draws an element again at any time, so the search is part of each try. */
  private void onElement(String strategy, String value, String command, Object body) {
    await()
        .atMost(ELEMENT_LIMIT)
        .untilAsserted(() -> {
          var found = send("POST", session + "/element", Map.of("using", strategy, "value", value));
          var id = found.elements().next().asText();
          send("POST", session + "/element/" + id + command, body);
        });
  }

  /** Presses keys one after the other, wherever the focus is; {@link Key} has special ones. */
  public void press(String keys) {
    var actions =
        keys.codePoints()
            .mapToObj(Character::toString)
            .flatMap(key ->
                Stream.of("keyDown", "keyUp").map(type -> Map.of("type", type, "value", key)))
            .toList();
    var keyboard = Map.of("type", "key", "id", "keyboard", "actions", actions);
    send("POST", session + "/actions", Map.of("actions", List.of(keyboard)));
  }

  /**
   * Gives pages a window of this size in CSS pixels.
   *
   * @param density device pixels of a CSS pixel
   */
  public void resize(int width, int height, int density) {
    var size =
        Map.of("width", width, "height", height, "deviceScaleFactor", density, "mobile", false);
    developerTools("Emulation.setDeviceMetricsOverride", size);
  }

  /** The colours that pages are to use: light or dark. */
  public void prefer(String theme) {
    var features = List.of(Map.of("name", "prefers-color-scheme", "value", theme));
    developerTools("Emulation.setEmulatedMedia", Map.of("features", features));
  }

  /** Runs a script in each page that is opened from now on, before the scripts of the page. */
  public void beforePages(String script) {
    developerTools("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  /** What is seen of the page, as PNG. */
  public byte[] screenshot() {
    return Base64.getDecoder()
        .decode(developerTools("Page.captureScreenshot", Map.of()).get("data").asText());
  }

  /**
   * Runs the body of an asynchronous function in the page and returns its result; an exception of
   * the function is returned as its text.
   */
  public JsonNode run(String body, Object... arguments) {
    var script =
        """
        const done = arguments[arguments.length - 1];
        (async (...args) => {%s})(...arguments).then(done, fault => done(String(fault)));
        """
            .formatted(body);
    return send(
        "POST", session + "/execute/async", Map.of("script", script, "args", List.of(arguments)));
  }

  /**
   * Returns what pages have written to the console since the last call: messages, errors, reports
   * of their security policy, and requests that failed.
   */
  public List<String> messages() {
    return send("POST", session + "/se/log", Map.of("type", "browser"))
        .valueStream()
        .map(entry -> entry.get("level").asText() + " " + entry.get("message").asText())
        .toList();
  }

  /**
   * Returns the requests since the last call to origins that no {@link #open} has named, also those
   * that the page's security policy prevented.
   */
  public List<String> foreignRequests() {
    return send("POST", session + "/se/log", Map.of("type", "performance"))
        .valueStream()
        .map(Browser::event)
        .filter(event -> REQUESTS.contains(event.get("method").asText()))
        .map(event -> event.get("params"))
        .map(sent -> sent.has("url") ? sent.get("url") : sent.at("/request/url"))
        .map(JsonNode::asText)
        .filter(url -> url.matches("(http|ws)s?:.*") && !opened.contains(origin(url)))
        .toList();
  }

  private static JsonNode event(JsonNode entry) {
    try {
      return JSON.readTree(entry.get("message").asText()).get("message");
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static String origin(String url) {
    var parts = url.split("/", 4);
    return parts.length < 3 ? url : parts[0] + "//" + parts[2];
  }

  private JsonNode developerTools(String command, Map<String, ?> parameters) {
    return send(
        "POST", session + "/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
  }

  private JsonNode send(String method, String url, @Nullable Object body) {
    return driver.send(method, url, body);
  }

  @Override
  public void close() throws InterruptedException {
    driver.close();
  }
}
