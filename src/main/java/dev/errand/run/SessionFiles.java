package dev.errand.run;

import dev.errand.session.FileChangeStore;
import dev.errand.session.Lease;
import dev.errand.session.SeenFileStore;
import dev.errand.tool.ToolContext;
import dev.errand.tool.file.FileMemory;
import dev.errand.tool.file.FileMemory.ContentHash;
import dev.errand.tool.file.FileMemory.FileChange;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

/** Which contents of files sessions have read and changed, stored in the database. */
@ApplicationScoped
class SessionFiles implements FileMemory {

  private final SeenFileStore seen;
  private final FileChangeStore changes;

  SessionFiles(SeenFileStore seen, FileChangeStore changes) {
    this.seen = seen;
    this.changes = changes;
  }

  @Override
  public void saw(ToolContext context, String path, ContentHash content) {
    seen.keep(lease(context), path, content.sha256());
  }

  @Override
  public Optional<ContentHash> lastSeen(ToolContext context, String path) {
    return seen.find(context.session(), path).map(ContentHash::new);
  }

  @Override
  public void plan(ToolContext context, FileChange change) {
    var row =
        new FileChangeStore.Change(
            change.path(),
            change.before().map(ContentHash::sha256).orElse(null),
            change.after().sha256());
    changes.plan(lease(context), context.toolCallId(), row);
  }

  @Override
  public Optional<FileChange> planned(ToolContext context) {
    return changes
        .find(context.session(), context.toolCallId())
        .map(row ->
            new FileChange(
                row.path(),
                Optional.ofNullable(row.before()).map(ContentHash::new),
                new ContentHash(row.after())));
  }

  private static Lease lease(ToolContext context) {
    return new Lease(context.session(), context.epoch());
  }
}
