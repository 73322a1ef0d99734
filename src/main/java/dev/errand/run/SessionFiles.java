package dev.errand.run;

import dev.errand.session.Lease;
import dev.errand.session.SessionFileStore;
import dev.errand.tool.ToolContext;
import dev.errand.tool.file.FileMemory;
import dev.errand.tool.file.FileMemory.ContentHash;
import dev.errand.tool.file.FileMemory.FileChange;
import jakarta.inject.Singleton;
import java.util.Optional;

/** The contents of files that sessions have read and changed, stored in the database. */
@Singleton
class SessionFiles implements FileMemory {

  private final SessionFileStore files;

  SessionFiles(SessionFileStore files) {
    this.files = files;
  }

  @Override
  public void saw(ToolContext context, String path, ContentHash content) {
    files.saw(lease(context), path, content.sha256());
  }

  @Override
  public Optional<ContentHash> lastSeen(ToolContext context, String path) {
    return files.lastSeen(context.session(), path).map(ContentHash::new);
  }

  @Override
  public void plan(ToolContext context, FileChange change) {
    var row =
        new SessionFileStore.PendingChange(
            change.path(),
            change.before().map(ContentHash::sha256).orElse(null),
            change.after().sha256());
    files.plan(lease(context), context.toolCallId(), row);
  }

  @Override
  public Optional<FileChange> planned(ToolContext context) {
    return files
        .planned(context.session(), context.toolCallId())
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
