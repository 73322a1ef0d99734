import module java.net.http;
import module jdk.httpserver;

/// An agent of your own that uses Errand. It hosts its loop itself: it asks the model, and lets Errand execute the tool
/// calls of the answer. What it delegates in the background comes back by webhook, while the program does something else.
///
///     ERRAND_WEBHOOKS_ALLOW_PRIVATE=true make run          # the webhook of this example is on your machine
///     OPENAI_API_KEY=sk-… java ExternalAgent.java "Which settings limit the depth of delegation?"
///
/// One file, no dependencies, JDK 25. Environment: ERRAND_URL, ERRAND_KEY, OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL.

final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
final String errand = env("ERRAND_URL", "http://localhost:8080");
final BlockingQueue<Notice> notices = new LinkedBlockingQueue<>();
final byte[] secret = randomBytes(32);

/// The end of a background task, as the webhook brings it.
record Notice(String taskId, String text) {}

void main(String[] args) throws Exception {
  var question = args.length > 0 ? args[0] : "What is in this project? Delegate the reading to a subagent.";
  var webhook = startWebhook();
  try {
    var session = openSession("http://127.0.0.1:" + webhook.getAddress().getPort() + "/errand");
    IO.println(run(session, question));
  } finally {
    webhook.stop(0);
  }
}

// ---- The session and its tools

/// An external session has no loop in Errand: it owns the tasks that it delegates, and the tools that it may use. The
/// tools for delegating are always offered. Others are offered when a rule allows them by name.
String openSession(String webhook) throws Exception {
  var session = post("/v1/sessions", Map.of(
      "kind", "external",
      "title", "An agent hosted elsewhere",
      "permissions", List.of(
          Map.of("permission", "list", "pattern", "*", "action", "allow"),
          Map.of("permission", "read", "pattern", "*", "action", "allow")),
      "callback", Map.of("url", webhook, "secret", "whsec_" + Base64.getEncoder().encodeToString(secret))));
  return text(session, "id");
}

/// Executes one tool call. It is safe to send it again when the connection breaks or Errand restarts: the same call_id is
/// executed once and gives the same result.
String callTool(String session, String callId, Map<?, ?> function) throws Exception {
  var path = "/v1/sessions/" + session + "/tool-calls";
  var call = Map.of("call_id", callId, "name", function.get("name"), "arguments", function.get("arguments"));
  for (int attempt = 1; ; attempt++) {
    try {
      var result = post(path, call);
      while (text(result, "state").equals("running")) {
        result = get(path + "/" + callId + "?wait_ms=30000");
      }
      // With "is_error" the text says what was wrong, for the model to read. With the state "unknown", Errand lost the
      // worker during the call, and will not repeat it; the text says that, too.
      return text(result, "content");
    } catch (IOException unavailable) {
      if (attempt == 30) {
        throw unavailable;
      }
      Thread.sleep(Duration.ofSeconds(1));
    }
  }
}

// ---- The loop

String run(String session, String question) throws Exception {
  var tools = list(get("/v1/tools?format=openai&session_id=" + session), "tools");
  var messages = new ArrayList<Object>();
  messages.add(Map.of("role", "system", "content", "You answer questions about a project. Delegate long work with task."));
  messages.add(Map.of("role", "user", "content", question));
  var told = new HashSet<String>();
  for (int turn = 1; turn <= 50; turn++) {
    var answer = askModel(messages, tools);
    messages.add(answer);
    var calls = answer.get("tool_calls") instanceof List<?> some ? some : List.of();
    for (int i = 0; i < calls.size(); i++) {
      var call = (Map<?, ?>) calls.get(i);
      var function = (Map<?, ?>) call.get("function");
      IO.println("calls " + function.get("name") + " " + function.get("arguments"));
      // The ids of some models repeat within a conversation; the turn makes this one unique in the session.
      var result = callTool(session, "turn" + turn + "." + i, function);
      messages.add(Map.of("role", "tool", "tool_call_id", call.get("id"), "content", result));
    }
    if (calls.isEmpty()) {
      if (!isWaiting(session, told)) {
        return text(answer, "content");
      }
      var notice = notices.take();
      IO.println("is told of " + notice.taskId());
      told.add(notice.taskId());
      messages.add(Map.of("role", "user", "content", notice.text()));
    }
  }
  throw new IllegalStateException("no answer after 50 turns");
}

/// Whether a notice of a background task will come. It will not when the model has read the result with task_output:
/// then its delivery is "consumed".
boolean isWaiting(String session, Set<String> told) throws Exception {
  return list(get("/v1/sessions/" + session + "/tasks?limit=200"), "items").stream()
      .map(task -> (Map<?, ?>) task)
      .filter(task -> task.get("background").equals(true) && !told.contains(text(task, "id")))
      .map(task -> task.get("delivery") instanceof Map<?, ?> delivery ? text(delivery, "state") : "pending")
      .anyMatch(delivery -> delivery.equals("pending") || delivery.equals("delivered"));
}

Map<?, ?> askModel(List<Object> messages, List<?> tools) throws Exception {
  var body = Map.of("model", env("OPENAI_MODEL", "gpt-5-mini"), "messages", messages, "tools", tools);
  var request = HttpRequest.newBuilder(URI.create(env("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"))
      .header("Authorization", "Bearer " + env("OPENAI_API_KEY", ""))
      .timeout(Duration.ofMinutes(10));
  var choice = (Map<?, ?>) list(send(request, body), "choices").getFirst();
  return (Map<?, ?>) choice.get("message");
}

// ---- The webhook

HttpServer startWebhook() throws IOException {
  var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
  server.createContext("/errand", this::receive);
  server.start();
  return server;
}

final Set<String> received = ConcurrentHashMap.newKeySet();

/// Posts come at least once: a post with a webhook-id that was seen is answered and ignored.
void receive(HttpExchange post) throws IOException {
  try (post) {
    var body = post.getRequestBody().readAllBytes();
    if (!isSigned(post.getRequestHeaders(), body)) {
      post.sendResponseHeaders(401, -1);
      return;
    }
    var event = (Map<?, ?>) new Json(new String(body, StandardCharsets.UTF_8)).read();
    var type = text(event, "type");
    if (type.matches("background_task\\.(completed|failed|cancelled)")
        && received.add(post.getRequestHeaders().getFirst("webhook-id"))) {
      notices.add(new Notice(text(event, "subject"), text((Map<?, ?>) event.get("data"), "notice")));
    }
    post.sendResponseHeaders(204, -1);
  }
}

/// The signature of Standard Webhooks: HMAC-SHA256 of "id.timestamp.body"; a post that is older than 5 minutes is refused.
boolean isSigned(Headers headers, byte[] body) {
  try {
    var id = headers.getFirst("webhook-id");
    var sentAt = headers.getFirst("webhook-timestamp");
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(sentAt)) > 300) {
      return false;
    }
    var mac = javax.crypto.Mac.getInstance("HmacSHA256");
    mac.init(new javax.crypto.spec.SecretKeySpec(secret, "HmacSHA256"));
    mac.update((id + "." + sentAt + ".").getBytes(StandardCharsets.UTF_8));
    var expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    return Arrays.stream(headers.getFirst("webhook-signature").split(" "))
        .anyMatch(signature -> MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8)));
  } catch (GeneralSecurityException | NullPointerException | NumberFormatException invalid) {
    return false;
  }
}

// ---- HTTP and JSON

Map<?, ?> get(String path) throws Exception {
  return send(errandRequest(path), null);
}

Map<?, ?> post(String path, Map<?, ?> body) throws Exception {
  return send(errandRequest(path), body);
}

HttpRequest.Builder errandRequest(String path) {
  var request = HttpRequest.newBuilder(URI.create(errand + path)).timeout(Duration.ofSeconds(90));
  var key = env("ERRAND_KEY", "");
  return key.isEmpty() ? request : request.header("Authorization", "Bearer " + key);
}

/// @throws IOException there was no answer, or one that asks to try again later
Map<?, ?> send(HttpRequest.Builder request, Map<?, ?> body) throws Exception {
  if (body != null) {
    request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(Json.write(body)));
  }
  var answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  return switch (answer.statusCode()) {
    case 200, 201, 202 -> (Map<?, ?>) new Json(answer.body()).read();
    case 429, 502, 503, 504 -> throw new IOException(answer.statusCode() + ": " + answer.body());
    default -> throw new IllegalStateException(answer.uri() + ": " + answer.statusCode() + " " + answer.body());
  };
}

static String env(String name, String otherwise) {
  return System.getenv().getOrDefault(name, otherwise);
}

static byte[] randomBytes(int count) {
  var bytes = new byte[count];
  new SecureRandom().nextBytes(bytes);
  return bytes;
}

static String text(Map<?, ?> object, String field) {
  return object.get(field) instanceof String text ? text : "";
}

static List<?> list(Map<?, ?> object, String field) {
  return object.get(field) instanceof List<?> list ? list : List.of();
}

/// Just enough JSON for this example; use a library in a program of your own.
static final class Json {

  private final String text;
  private int at;

  Json(String text) {
    this.text = text;
  }

  Object read() {
    return switch (peek()) {
      case '{' -> {
        var object = new LinkedHashMap<String, Object>();
        for (at++; peek() != '}'; skip(',')) {
          var name = string();
          skip(':');
          object.put(name, read());
        }
        at++;
        yield object;
      }
      case '[' -> {
        var array = new ArrayList<Object>();
        for (at++; peek() != ']'; skip(',')) {
          array.add(read());
        }
        at++;
        yield array;
      }
      case '"' -> string();
      default -> word();
    };
  }

  private char peek() {
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.charAt(at);
  }

  private void skip(char mark) {
    if (peek() == mark) {
      at++;
    }
  }

  private Object word() {
    int from = at;
    while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    var word = text.substring(from, at);
    return switch (word) {
      case "true", "false" -> Boolean.valueOf(word);
      case "null" -> null;
      default -> new BigDecimal(word);
    };
  }

  private String string() {
    peek();
    var result = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      result.append(text.charAt(at) == '\\' ? escape(text.charAt(++at)) : text.charAt(at));
    }
    at++;
    return result.toString();
  }

  private char escape(char code) {
    return switch (code) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> (char) Integer.parseInt(text, at + 1, (at += 4) + 1, 16);
      default -> code;
    };
  }

  static String write(Object value) {
    return switch (value) {
      case Map<?, ?> object -> object.entrySet().stream()
          .map(field -> write(field.getKey()) + ":" + write(field.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
      case List<?> array -> array.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
      case String text -> "\"" + text.codePoints().mapToObj(Json::escaped).collect(Collectors.joining()) + "\"";
      case null, default -> String.valueOf(value);
    };
  }

  private static String escaped(int character) {
    return character < ' ' || character == '"' || character == '\\'
        ? "\\u%04x".formatted(character)
        : Character.toString(character);
  }
}
