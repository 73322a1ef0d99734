package dev.errand.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PagesTest {

  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

  @Test
  void linksBetweenDocumentsLeadToAFileAndAHeading() throws IOException {
    var links = 0;
    var broken = new ArrayList<String>();
    for (var page : Pages.all()) {
      for (var link : links(page)) {
        links++;
        if (!resolves(page, link)) {
          broken.add(page + ": " + link);
        }
      }
    }

    assertThat(links).isGreaterThan(100);
    assertThat(broken).isEmpty();
  }

  private static List<String> links(Path page) throws IOException {
    return LINK.matcher(Files.readString(page))
        .results()
        .map(found -> found.group(1))
        .filter(link -> !link.contains("://"))
        .toList();
  }

  private static boolean resolves(Path page, String link) throws IOException {
    var parts = link.split("#", 2);
    var target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return parts.length == 1 || Pages.anchors(target).contains(parts[1]);
  }
}
