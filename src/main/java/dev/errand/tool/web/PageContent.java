package dev.errand.tool.web;

import dev.errand.tool.file.BinaryKind;
import dev.errand.tool.file.TextEncoding;
import dev.errand.tool.web.AnswerReader.WebAnswer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;

/**
 * The text of an answer.
 *
 * @param title the title of the page; empty if it has none
 * @param text may be longer than requested
 */
record PageContent(String title, String text) {

  private static final int HEAD_BYTES = 8 * 1_024;

  private static final Pattern COMMENT = Pattern.compile("<!--.*?-->", Pattern.DOTALL);
  private static final Pattern META_CHARSET =
      Pattern.compile("<meta\\b[^<>]*?\\bcharset\\s*=\\s*[\"']?\\s*([^\\s\"'/<>;]+)");
  private static final Pattern XML_ENCODING =
      Pattern.compile("^\\s*<\\?xml\\b[^<>]*?\\bencoding\\s*=\\s*[\"']([^\"'<>]+)");

  private static final String BYTE_ORDER_MARK = "\ufeff";

  /**
   * @param maxChars conversion stops at about this length
   */
  static PageContent of(URI url, WebAnswer answer, int maxChars) {
    var type = answer.type();
    if (type.isPage() || (type.isUnknown() && looksLikePage(answer.body()))) {
      var page = page(url, answer);
      return new PageContent(page.title(), PageText.of(page, maxChars));
    }
    if (!type.isText() && !type.isUnknown()) {
      return notShown(type.name(), answer);
    }
    return isBinary(answer)
        ? notShown(BinaryKind.of(answer.body()).description(), answer)
        : new PageContent("", decoded(answer));
  }

  private static PageContent notShown(String what, WebAnswer answer) {
    var size = answer.length() < 0 ? "" : ", %d bytes".formatted(answer.length());
    return new PageContent("", "(%s%s: not shown)".formatted(what, size));
  }

  private static boolean looksLikePage(byte[] body) {
    var head = head(body).stripLeading();
    return head.startsWith("<!doctype html") || head.startsWith("<html");
  }

  private static String head(byte[] body) {
    var head = Arrays.copyOf(body, Math.min(body.length, HEAD_BYTES));
    return new String(head, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
  }

  /** The parser itself considers a byte order mark. */
  private static Document page(URI url, WebAnswer answer) {
    var charset = charset(answer, META_CHARSET);
    try {
      return Jsoup.parse(new ByteArrayInputStream(answer.body()), charset.name(), url.toString());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static boolean isBinary(WebAnswer answer) {
    var body = answer.body();
    if (TextEncoding.isUtf16(body) || answer.type().charset() != null) {
      return false;
    }
    for (var value : body) {
      if (value == 0) {
        return true;
      }
    }
    return BinaryKind.of(body).isNeverText();
  }

  private static String decoded(WebAnswer answer) {
    var charset =
        TextEncoding.isUtf16(answer.body())
            ? encoding(answer).charset()
            : charset(answer, XML_ENCODING);
    var text = new String(answer.body(), charset);
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  /**
   * Returns the encoding that the header names, else the content, else the encoding that it seems
   * to have.
   */
  private static Charset charset(WebAnswer answer, Pattern declaration) {
    var named = answer.type().charset();
    return named != null
        ? named
        : declared(answer.body(), declaration)
            .orElseGet(() -> WebType.onTheWeb(encoding(answer).charset()));
  }

  /** A declaration that can be read is not UTF-16, whatever it says. */
  private static Optional<Charset> declared(byte[] body, Pattern declaration) {
    var head = COMMENT.matcher(head(body)).replaceAll("");
    return Stream.of(declaration, XML_ENCODING)
        .map(pattern -> pattern.matcher(head))
        .filter(Matcher::find)
        .flatMap(found -> WebType.known(found.group(1)).stream())
        .filter(charset -> !charset.name().startsWith("UTF-16"))
        .findFirst();
  }

  private static TextEncoding encoding(WebAnswer answer) {
    return TextEncoding.of(answer.body(), !answer.cut());
  }
}
