package dev.errand.story;

import dev.errand.kit.StubEndpoint;
import dev.errand.kit.StubEndpoint.Answer;
import dev.errand.kit.StubEndpoint.ErrorStatus;
import dev.errand.kit.StubEndpoint.ModelCall;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** A model that says, calls and delegates what would harm a page if it became more than text. */
final class HostileWords {

  private static final Set<String> PLACES = ConcurrentHashMap.newKeySet();

  private HostileWords() {}

  /** Text that would run, load, or hide something, with the name of the place that it is for. */
  static String hostile(String place) {
    PLACES.add(place);
    return "%"
        + place
        + "% <img src=x onerror=hit()> \u202Egpj.exe\u202C\u200B<script>hit()</script>";
  }

  /** The places that hostile text was made for. */
  static Set<String> places() {
    return new TreeSet<>(PLACES);
  }

  static Answer answer(ModelCall call) {
    var prompt = call.prompt();
    if (prompt.startsWith("Fail. ")) {
      throw new ErrorStatus(
          400, "{\"error\":{\"message\":\"%s\"}}".formatted(hostile("error of a model")));
    }
    if (prompt.contains("%prompt%")) {
      return Answer.says(hostile("answer of a child"));
    }
    if (prompt.contains("%prompt in the background%")) {
      return Answer.says(hostile("answer in the background"));
    }
    var turn = call.turns().stream().filter(message -> message.role().equals("assistant")).count();
    return words((int) turn);
  }

  private static Answer words(int turn) {
    return switch (turn) {
      case 0 -> new Answer(everyKindOfMarkdown(), List.of(bash()));
      case 1 ->
          Answer.calls(
              Answer.call("read", Map.of("file_path", "lines.txt")),
              Answer.call("list", Map.of()),
              Answer.call("grep", Map.of("pattern", hostile("pattern"))),
              Answer.call("read", Map.of("file_path", hostile("path of a file"))),
              Answer.call(
                  "write", Map.of("file_path", "new.txt", "content", hostile("new content"))),
              Answer.call(
                  "no_such_tool", Map.of(hostile("name of an argument"), hostile("argument"))));
      case 2 ->
          Answer.calls(
              Answer.call(
                  "edit",
                  Map.of(
                      "file_path",
                      "lines.txt",
                      "old_string",
                      hostile("line of a file"),
                      "new_string",
                      hostile("changed line"))),
              Answer.call(
                  "task",
                  Map.of("description", hostile("description"), "prompt", hostile("prompt"))),
              Answer.call(
                  "task",
                  Map.of(
                      "description",
                      hostile("description in the background"),
                      "prompt",
                      hostile("prompt in the background"),
                      "background",
                      true)),
              Answer.call(
                  "task",
                  Map.of(
                      "description",
                      "x",
                      "prompt",
                      "x",
                      "subagent_type",
                      hostile("unknown agent"))));
      default -> Answer.says(hostile("last answer"));
    };
  }

  /** A command that runs until the page has shown what it wrote. */
  private static StubEndpoint.Call bash() {
    return Answer.call(
        "bash",
        Map.of(
            "command",
            "cat <<'END'\n%s\nEND\nuntil [ -e seen ]; do sleep 0.1; done"
                .formatted(hostile("output while it runs"))));
  }

  private static String everyKindOfMarkdown() {
    return String.join(
        "\n\n",
        "# " + hostile("heading"),
        hostile("paragraph"),
        "**"
            + hostile("strong")
            + "** *"
            + hostile("emphasis")
            + "* ~~"
            + hostile("deleted")
            + "~~",
        "`" + hostile("code span") + "`",
        "```html\n" + hostile("code block") + "\n```",
        "    " + hostile("indented code"),
        "* " + hostile("item") + "\n  * " + hostile("nested item"),
        "- [x] " + hostile("task item"),
        "1. " + hostile("numbered item"),
        "> " + hostile("quotation"),
        "| " + hostile("head of a column") + " |\n|---|\n| " + hostile("cell") + " |",
        "[" + hostile("text of a link") + "](javascript:hit())",
        "[x](http://evil.example/" + plain("address of a link") + ")",
        "!["
            + hostile("text of an image")
            + "](http://evil.example/"
            + plain("address of an image")
            + ".png)",
        "[" + hostile("text of a reference") + "][r]\n\n[r]: data:text/html,<script>hit()</script>",
        "<div onclick=hit()>" + hostile("HTML") + "</div>",
        "<http://evil.example/" + plain("bare address") + ">",
        "<iframe srcdoc='<script>hit()</script>'></iframe>",
        "<svg onload=hit()><style>@import 'http://evil.example/x.css';</style></svg>");
  }

  /** A place for characters that addresses may contain. */
  private static String plain(String place) {
    var marker = place.replace(' ', '-');
    PLACES.add(marker);
    return "%" + marker + "%";
  }
}
