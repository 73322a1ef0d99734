package dev.errand.tool.patch;

import dev.errand.tool.file.FileSet;
import dev.errand.tool.file.FileSet.FileContent;
import dev.errand.tool.file.FileSet.FileSetChange;
import dev.errand.tool.patch.PatchOutcome.Conflict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Computes what one file of a patch changes in the workspace as it is now.
 *
 * <p>The patches of a child that was continued contain its earlier changes again. If the workspace
 * has an earlier one of them, it is undone first, because the child may have changed the same
 * places since.
 */
final class FileMerge {

  private static final String EXISTS = "exists already, with other content";
  private static final String MISSING = "does not exist in your workspace";
  private static final FileContent EMPTY = new FileContent(new byte[0], false);

  private final FileSet files;
  private final PatchedFile file;
  private final Optional<PatchedFile> earlier;

  /**
   * @param earlier what an earlier patch of the same child, which was applied, did to the file
   */
  FileMerge(FileSet files, PatchedFile file, Optional<PatchedFile> earlier) {
    this.files = files;
    this.file = file;
    this.earlier = earlier;
  }

  private interface Source {
    Optional<FileContent> read(String path) throws IOException;
  }

  /** The file does not fit. */
  static final class Misfit extends Exception {

    private static final long serialVersionUID = 1;
    private final transient Conflict conflict;

    Misfit(Conflict conflict) {
      super(conflict.why());
      this.conflict = conflict;
    }

    Conflict conflict() {
      return conflict;
    }
  }

  /** Returns the changes; none if the workspace has them already. */
  List<FileSetChange> changes() throws IOException, Misfit {
    var now = files.read(file.path());
    var undone =
        earlier.isEmpty() || now.filter(this::isAfter).isPresent()
            ? now
            : undone(earlier.get(), now);
    if (!undone.equals(now)) {
      try {
        return changes(undone, now);
      } catch (Misfit withoutTheEarlierChange) {
        return changes(files::read);
      }
    }
    return changes(files::read);
  }

  /** Returns the changes of the file as it is, computed from what it was before. */
  private List<FileSetChange> changes(Optional<FileContent> undone, Optional<FileContent> now)
      throws IOException, Misfit {
    return changes(path -> path.equals(file.path()) ? undone : files.read(path)).stream()
        .map(change ->
            change.path().equals(file.path())
                ? new FileSetChange(change.path(), now, change.after())
                : change)
        .filter(change -> !isSame(change.before(), change.after()))
        .toList();
  }

  private static boolean isSame(Optional<FileContent> before, Optional<FileContent> after) {
    return before.isEmpty()
        ? after.isEmpty()
        : after.filter(content -> content.isSameAs(before.get())).isPresent();
  }

  /** Returns the file without the earlier change, or as it is if that is not possible. */
  private static Optional<FileContent> undone(PatchedFile earlier, Optional<FileContent> now) {
    if (earlier.from().isEmpty()) {
      return now.filter(content -> !earlier.hasMade(content.bytes()));
    }
    if (!(earlier.body() instanceof PatchedFile.TextHunks(var hunks))) {
      return now;
    }
    var before = now.orElse(EMPTY);
    var merged = TextMerge.merge(before.bytes(), hunks.stream().map(Hunk::reversed).toList());
    return merged.rejected().isEmpty()
        ? Optional.of(new FileContent(merged.content(), before.executable()))
        : now;
  }

  private List<FileSetChange> changes(Source source) throws IOException, Misfit {
    var before =
        file.from().isPresent() ? source.read(file.from().get()) : Optional.<FileContent>empty();
    if (file.to().isEmpty()) {
      return deletion(before);
    }
    return file.from().equals(file.to())
        ? modification(before)
        : creation(before, source.read(file.to().get()));
  }

  private List<FileSetChange> deletion(Optional<FileContent> before) throws Misfit {
    if (before.isEmpty()) {
      return List.of();
    }
    if (!isBefore(before.get())) {
      throw misfit("was changed since the task began; the task deletes it");
    }
    return List.of(new FileSetChange(file.path(), before, Optional.empty()));
  }

  private List<FileSetChange> modification(Optional<FileContent> before) throws Misfit {
    if (before.isEmpty()) {
      throw misfit(MISSING);
    }
    var after = after(before.get());
    return after.isSameAs(before.get())
        ? List.of()
        : List.of(new FileSetChange(file.path(), before, Optional.of(after)));
  }

  private List<FileSetChange> creation(Optional<FileContent> source, Optional<FileContent> target)
      throws Misfit {
    var from = file.from();
    if (target.isPresent() && isAfter(target.get()) && (source.isEmpty() || file.keepsFrom())) {
      return List.of();
    }
    if (from.isPresent() && source.isEmpty()) {
      throw misfit("comes from " + PatchReader.shown(from.get()) + ", which " + MISSING);
    }
    if (target.isPresent()) {
      throw misfit(EXISTS);
    }
    var changes = new ArrayList<FileSetChange>();
    changes.add(
        new FileSetChange(file.path(), Optional.empty(), Optional.of(after(source.orElse(EMPTY)))));
    if (!file.keepsFrom()) {
      from.ifPresent(path -> changes.add(new FileSetChange(path, source, Optional.empty())));
    }
    return changes;
  }

  private FileContent after(FileContent before) throws Misfit {
    var bytes =
        switch (file.body()) {
          case PatchedFile.NoChange _ -> before.bytes();
          case PatchedFile.TextHunks _ when isAfter(before) -> before.bytes();
          case PatchedFile.Binary _ when isAfter(before) -> before.bytes();
          case PatchedFile.TextHunks text -> merged(before, text.hunks());
          case PatchedFile.Binary binary -> replaced(before, binary.change());
        };
    return new FileContent(bytes, file.executable().orElse(before.executable()));
  }

  private byte[] merged(FileContent before, List<Hunk> hunks) throws Misfit {
    var merged = TextMerge.merge(before.bytes(), hunks);
    if (!merged.rejected().isEmpty()) {
      throw new Misfit(
          new Conflict(
              file.path(),
              "was changed at the same places",
              merged.rejected().stream().map(Hunk::shown).toList()));
    }
    return verified(before, merged.content());
  }

  private byte[] replaced(FileContent before, BinaryChange change) throws Misfit {
    if (file.from().isPresent() && !isBefore(before)) {
      throw misfit("is binary and was changed since the task began");
    }
    return verified(before, change.applyTo(before.bytes()));
  }

  /** From the content that the patch was made for, exactly the content of the child follows. */
  private byte[] verified(FileContent before, byte[] after) {
    if (after.length > BinaryChange.MAX_BYTES) {
      throw new UnusablePatch(PatchReader.shown(file.path()) + " would have more than 10 MB");
    }
    if (isBefore(before) && !file.idAfter().orElseThrow().isOf(after)) {
      throw new UnusablePatch("the content of " + PatchReader.shown(file.path()) + " is damaged");
    }
    return after;
  }

  private boolean isBefore(FileContent content) {
    return file.idBefore().filter(id -> id.isOf(content.bytes())).isPresent();
  }

  private boolean isAfter(FileContent content) {
    return file.hasMade(content.bytes());
  }

  private Misfit misfit(String why) {
    return new Misfit(new Conflict(file.path(), why, List.of()));
  }
}
