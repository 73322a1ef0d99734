package dev.errand.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.errand.kit.Browser;
import dev.errand.kit.OtherSite;
import dev.errand.kit.Service;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What web pages can do to a service on the same machine, shown with a real browser. */
class BrowserIT {

  private static final String TASK =
      "{\"description\":\"x\",\"prompt\":\"find the word errand\",\"subagent_type\":\"explore\",\"background\":true}";

  /** How many posts the page of another site sends; browsers ask before they send others. */
  private static final int POSTS = 21;

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir static Path folder;

  private static OtherSite pages;
  private static Browser browser;
  private static Service service;

  private int tasks;

  /** Other sites are {@code *.example} on the port of {@link #pages}. */
  @BeforeAll
  static void start() throws IOException {
    browser = Browser.start(Files.createDirectory(folder.resolve("browser")));
    pages = new OtherSite();
    service =
        Service.start(
            folder.resolve("home"),
            Map.of(
                "ERRAND_MODEL",
                "offline:planner",
                "ERRAND_HTTP_ALLOWED_ORIGINS",
                site("friend.example")));
  }

  @AfterAll
  static void stop() throws Exception {
    if (service != null) {
      service.close();
    }
    if (pages != null) {
      pages.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @BeforeEach
  void count() {
    tasks = rows();
  }

  @Test
  void pageOfAnotherSiteSendsAndReadsNothing() {
    for (var host : new String[] {"evil.example", "localhost"}) {
      browser.open(site(host));
      var before = refused("POST");

      var seen =
          browser
              .run(
                  """
                  const [api, body] = args;
                  const seen = [];
                  const blob = () => new Blob([body]);
                  const plain = () => new Blob([body], {type: 'text/plain'});
                  const look = (name, request) =>
                    request.then(answer => seen.push(name + ' ' + answer.type), () => seen.push(name + ' failed'));
                  for (const path of ['/v1/tasks', '/v1/sessions', '/v1/agents/reload']) {
                    for (const content of [blob(), plain(), body, new TextEncoder().encode(body)]) {
                      await look('no-cors', fetch(api + path, {method: 'POST', mode: 'no-cors', body: content}));
                    }
                    await look('cors', fetch(api + path, {method: 'POST', body: plain()}));
                    await look('json', fetch(api + path,
                        {method: 'POST', headers: {'Content-Type': 'application/json'}, body}));
                    await look('token', fetch(api + path,
                        {method: 'POST', headers: {Authorization: 'Bearer x', 'Content-Type': 'application/json'}, body}));
                    navigator.sendBeacon(api + path, blob());
                    navigator.sendBeacon(api + path, plain());
                  }
                  await look('get', fetch(api + '/v1/tasks'));
                  await look('metrics', fetch(api + '/q/metrics'));
                  await look('delete', fetch(api + '/v1/sessions/x', {method: 'DELETE'}));
                  return seen.join('\\n');
                  """,
                  own(),
                  TASK)
              .asText()
              .lines()
              .toList();

      assertThat(seen)
          .hasSize(24)
          .allMatch(answer -> answer.matches("no-cors opaque|[a-z-]+ failed"));
      await().atMost(TIMEOUT).until(() -> refused("POST") - before == POSTS);
      assertThat(rows()).as("after " + host).isEqualTo(tasks);
    }
  }

  /** The body of a form with one field is {@code name=value}, which can be JSON. */
  @Test
  void formOfAnotherSiteIsRefused() {
    browser.open(site("evil.example"));

    browser.run(
        """
        const [api, body] = args;
        const form = document.body.appendChild(document.createElement('form'));
        Object.assign(form, {method: 'POST', action: api + '/v1/tasks', enctype: 'text/plain'});
        const field = form.appendChild(document.createElement('input'));
        field.name = body.slice(0, -1) + ',"label":"';
        field.value = '"}';
        setTimeout(() => form.submit());
        """,
        own(),
        TASK);

    awaitPage("403");
    assertThat(rows()).isEqualTo(tasks);
  }

  @Test
  void streamOfEventsIsOpenedOnlyByTheServicesOwnPage() {
    var id = service.post("/v1/sessions", Map.of("kind", "external"), 201).get("id").asText();
    var follow =
        """
        const source = new EventSource(args[0]);
        const result = await new Promise(done => {
          source.onopen = () => done('open');
          source.onerror = () => done('error');
        });
        source.close();
        return result;
        """;
    var events = own() + "/v1/sessions/" + id + "/events";

    browser.open(site("evil.example"));
    assertThat(browser.run(follow, events).asText()).isEqualTo("error");
    browser.open(rebound("/"));
    assertThat(browser.run(follow, rebound("/v1/sessions/" + id + "/events")).asText())
        .isEqualTo("error");
    browser.open(own() + "/v1/agents");
    assertThat(browser.run(follow, events).asText()).isEqualTo("open");
  }

  /** The page and the service have the same origin, because the name of the page leads here. */
  @Test
  void reboundNameReachesNothing() {
    for (var path : new String[] {"/", "/v1/tasks", "/q/health", "/q/metrics"}) {
      browser.open(rebound(path));
      assertThat(browser.run("return document.body.innerText").asText()).contains("421");
    }

    assertThat(status("/v1/tasks", "GET", Map.of())).isEqualTo(421);
    assertThat(status("/v1/tasks", "POST", Map.of("Content-Type", "application/json")))
        .isEqualTo(421);
    assertThat(rows()).isEqualTo(tasks);
  }

  @Test
  void ownPageWorks() {
    browser.open(own() + "/v1/agents");

    assertThat(status("/v1/tasks", "GET", Map.of())).isEqualTo(200);
    assertThat(status("/v1/tasks", "POST", Map.of("Content-Type", "application/json")))
        .isEqualTo(202);
    assertThat(rows()).isEqualTo(tasks + 1);
  }

  @Test
  void pageOfAnAllowedOriginWorksWithAToken() {
    browser.open(site("friend.example"));
    var request =
        """
        const [url, body, headers] = args;
        const answer = await fetch(url, {method: 'POST', body, headers});
        return answer.status + ' ' + answer.headers.get('Location');
        """;
    var json = Map.of("Content-Type", "application/json");
    var withToken =
        Map.of("Content-Type", "application/json", "Authorization", "Bearer err_of_the_page");

    assertThat(browser.run(request, own() + "/v1/tasks", TASK, json).asText()).startsWith("403");
    assertThat(rows()).isEqualTo(tasks);
    assertThat(browser.run(request, own() + "/v1/tasks", TASK, withToken).asText())
        .startsWith("202 http")
        .contains("/v1/tasks/task_");
    assertThat(rows()).isEqualTo(tasks + 1);
  }

  @Test
  void linkOfAnotherSiteOpensAPageOfTheService() {
    browser.open(site("evil.example"));
    browser.run("setTimeout(() => location = args[0])", own() + "/v1/agents");

    awaitPage("explore");
  }

  @Test
  void curlWorks() throws Exception {
    var curl =
        new ProcessBuilder(
                "curl",
                "-s",
                "-H",
                "Content-Type: application/json",
                "-d",
                TASK,
                service.uri("/v1/tasks").toString())
            .start();

    assertThat(new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .contains("\"status\":\"accepted\"");
    assertThat(rows()).isEqualTo(tasks + 1);
  }

  /** A script that runs in the page that is about to be left may fail. */
  private static void awaitPage(String text) {
    await()
        .atMost(TIMEOUT)
        .ignoreExceptions()
        .until(() -> browser.run("return document.body.innerText").asText().contains(text));
  }

  /** The status of a request that the page sends to its own origin. */
  private static int status(String path, String method, Map<String, String> headers) {
    return browser
        .run(
            """
            const [path, method, headers, body] = args;
            const options = method == 'GET' ? {method, headers} : {method, headers, body};
            return (await fetch(path, options)).status;
            """,
            path,
            method,
            headers,
            TASK)
        .asInt();
  }

  private static int rows() {
    return service.items("/v1/tasks", "cursor").size();
  }

  /** How many requests with this method were answered with 403. */
  private static double refused(String method) {
    return service
        .text("/q/metrics")
        .lines()
        .filter(line -> line.startsWith("http_server_requests_seconds_count"))
        .filter(line -> line.contains("method=\"" + method + "\"") && line.contains("\"403\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static String site(String host) {
    return pages.at(host);
  }

  private static String own() {
    return "http://127.0.0.1:" + service.port();
  }

  private static String rebound(String path) {
    return "http://rebound.example:" + service.port() + path;
  }
}
