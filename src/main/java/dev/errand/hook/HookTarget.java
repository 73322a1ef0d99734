package dev.errand.hook;

import dev.errand.outbox.WebhookSecret;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The program or endpoint that is called. */
sealed interface HookTarget {

  /**
   * @param secret null: the posts are not signed
   */
  record UrlTarget(URI url, @Nullable WebhookSecret secret) implements HookTarget {}

  record ProgramTarget(List<String> words) implements HookTarget {
    public ProgramTarget {
      words = List.copyOf(words);
    }
  }
}
