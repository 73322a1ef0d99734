package dev.errand.tool.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A call that takes some time and reports its progress.
 *
 * @param form of the reports: {@code good}, {@code text} (numbers as texts), {@code bare} (the
 *     token alone), {@code other} (the token of another call), {@code none} (no reports)
 */
record OddWork(ObjectNode call, int reports, long everyMillis, String form) {

  static OddWork of(ObjectNode call) {
    var arguments = call.at("/params/arguments");
    return new OddWork(
        call,
        arguments.path("reports").asInt(),
        arguments.path("everyMillis").asLong(),
        arguments.path("form").asText("good"));
  }

  void report(Consumer<ObjectNode> notify) {
    for (int report = 1; report <= reports; report++) {
      pause();
      if (!form.equals("none")) {
        notify.accept(notice(report));
      }
    }
  }

  private ObjectNode notice(int report) {
    var notice = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
    var fields = notice.put("method", "notifications/progress").putObject("params");
    var token = call.at("/params/_meta/progressToken");
    switch (form) {
      case "text" -> fields.put("progressToken", token.asText()).put("progress", "" + report);
      case "bare" -> fields.set("progressToken", token);
      case "other" -> fields.put("progressToken", "no such call").put("progress", report);
      default ->
          fields
              .put("progress", report)
              .put("total", reports)
              .put("message", "step " + report)
              .set("progressToken", token);
    }
    return notice;
  }

  private void pause() {
    try {
      new CountDownLatch(1).await(everyMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
