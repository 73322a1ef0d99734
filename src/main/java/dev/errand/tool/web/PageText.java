package dev.errand.tool.web;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeFilter;

/**
 * Converts a page to text: headings as {@code # …}, list items as {@code - …}, links as {@code text
 * (url)}, one line per table row. Invisible elements are left out.
 */
final class PageText implements NodeFilter {

  private static final Set<String> INVISIBLE =
      Set.of(
          "head",
          "script",
          "style",
          "template",
          "svg",
          "math",
          "canvas",
          "audio",
          "video",
          "iframe",
          "object",
          "embed",
          "select",
          "datalist");

  private static final Set<String> PARAGRAPHS =
      Set.of(
          "p", "ul", "ol", "dl", "pre", "blockquote", "table", "h1", "h2", "h3", "h4", "h5", "h6");

  private static final Set<String> LISTS = Set.of("ul", "ol");
  private static final Set<String> CELLS = Set.of("td", "th");
  private static final int MAX_URL_CHARS = 500;
  private static final int MAX_INDENT = 8;

  private final TextFlow flow = new TextFlow();
  private final int maxChars;
  private final Deque<Integer> links = new ArrayDeque<>();
  private int lists;
  private int cells;
  private int verbatim;

  private PageText(int maxChars) {
    this.maxChars = maxChars;
  }

  /** Returns the text, or its beginning with a little more than {@code maxChars}. */
  static String of(Document page, int maxChars) {
    var text = new PageText(maxChars);
    page.filter(text);
    return text.flow.toString();
  }

  @Override
  public FilterResult head(Node node, int depth) {
    if (flow.length() > maxChars) {
      return FilterResult.STOP;
    }
    if (node instanceof TextNode text) {
      add(text.getWholeText());
    } else if (node instanceof Element element) {
      if (isHidden(element)) {
        return FilterResult.SKIP_ENTIRELY;
      }
      open(element);
    }
    return FilterResult.CONTINUE;
  }

  @Override
  public FilterResult tail(Node node, int depth) {
    if (node instanceof Element element) {
      close(element);
    }
    return FilterResult.CONTINUE;
  }

  private static boolean isHidden(Element element) {
    return INVISIBLE.contains(element.normalName())
        || element.hasAttr("hidden")
        || element.attr("aria-hidden").equals("true")
        || element.attr("style").toLowerCase(Locale.ROOT).replace(" ", "").contains("display:none");
  }

  private void open(Element element) {
    var name = element.normalName();
    breakAround(element);
    switch (name) {
      case "h1", "h2", "h3", "h4", "h5", "h6" ->
          flow.inline("#".repeat(name.charAt(1) - '0') + " ");
      case "ul", "ol" -> lists++;
      case "li" -> item(element);
      case "td", "th" -> cell(element);
      case "a" -> links.push(flow.length());
      case "pre" -> verbatim++;
      case "br" -> flow.line();
      case "hr" -> rule();
      case "img" -> image(element.attr("alt"));
      default -> {}
    }
  }

  private void close(Element element) {
    switch (element.normalName()) {
      case "ul", "ol" -> {
        lists--;
        flow.indent(indent());
      }
      case "td", "th" -> cells--;
      case "a" -> link(element, links.pop());
      case "pre" -> verbatim--;
      default -> {}
    }
    breakAround(element);
  }

  private void breakAround(Element element) {
    var name = element.normalName();
    if (CELLS.contains(name)) {
      return;
    }
    if (name.equals("tr")) {
      flow.line();
    } else if (cells > 0 && element.isBlock() && !name.equals("table")) {
      flow.gap();
    } else if (PARAGRAPHS.contains(name)
        && !(lists > 0 && (LISTS.contains(name) || name.equals("p")))) {
      flow.paragraph();
    } else if (element.isBlock()) {
      flow.line();
    }
  }

  private void item(Element element) {
    var parent = element.parent();
    var numbered = parent != null && parent.normalName().equals("ol");
    flow.indent("  ".repeat(Math.clamp(lists - 1L, 0, MAX_INDENT)));
    flow.inline(numbered ? "1. " : "- ");
    flow.indent(indent());
  }

  /** Returns the indentation of the further lines of an item. */
  private String indent() {
    return "  ".repeat(Math.min(lists, MAX_INDENT));
  }

  private void cell(Element element) {
    cells++;
    if (element.previousElementSibling() != null) {
      flow.inline(" | ");
    }
  }

  private void rule() {
    flow.paragraph();
    flow.inline("---");
    flow.paragraph();
  }

  private void image(String description) {
    if (!description.isBlank()) {
      flow.inline("[image: " + description.strip() + "]");
    }
  }

  private void link(Element element, int start) {
    if (flow.length() == start || element.attr("href").startsWith("#")) {
      return;
    }
    var url = element.absUrl("href");
    if (url.matches("(?s)https?://.*") && url.length() <= MAX_URL_CHARS) {
      flow.inline(" (" + url + ")");
    }
  }

  private void add(String text) {
    if (verbatim > 0) {
      flow.verbatim(text);
    } else {
      flow.inline(text);
    }
  }
}
