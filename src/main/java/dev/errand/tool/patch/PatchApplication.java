package dev.errand.tool.patch;

import dev.errand.postgres.Failpoint;
import dev.errand.tool.file.FileSet;
import dev.errand.tool.file.FileSet.FileContent;
import dev.errand.tool.file.FileSet.FileSetChange;
import dev.errand.tool.patch.PatchMemory.PatchPlan;
import dev.errand.tool.patch.PatchMemory.PlannedFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Applies a patch to a workspace: to all its files or to none. All results are computed first, and
 * recorded before the first file is changed. When the worker is lost in the middle, the next call
 * finds each file in its state before or after, and finishes.
 */
public final class PatchApplication {

  private static final String NO_FILE = "-";
  private static final long MAX_BYTES = 64L * 1024 * 1024;

  private final Patch patch;
  private final Optional<Patch> earlier;
  private final FileSet files;
  private final PatchMemory memory;

  /**
   * @param earlier the latest patch of the same child that was applied
   */
  public PatchApplication(Patch patch, Optional<Patch> earlier, FileSet files, PatchMemory memory) {
    this.patch = patch;
    this.earlier = earlier;
    this.files = files;
    this.memory = memory;
  }

  /**
   * @param onlyCheck whether nothing is changed
   */
  public PatchOutcome run(boolean onlyCheck) throws IOException {
    try (var _ = files.lock(patch.changedPaths())) {
      var refused = refusals();
      if (!refused.isEmpty()) {
        return new PatchOutcome.NotPermitted(refused);
      }
      var plan = memory.latest().filter(found -> !found.files().isEmpty());
      return plan.isPresent() ? again(plan.get(), onlyCheck) : apply(Set.of(), onlyCheck);
    }
  }

  private List<String> refusals() throws IOException {
    var reasons = new ArrayList<String>();
    for (var file : patch.files()) {
      for (var path : List.of(file.to(), file.from())) {
        if (path.isPresent()) {
          files.refusal(path.get()).filter(why -> !reasons.contains(why)).ifPresent(reasons::add);
        }
      }
    }
    return reasons;
  }

  /** Applies a patch that the session has applied before, or begun to apply. */
  private PatchOutcome again(PatchPlan plan, boolean onlyCheck) throws IOException {
    var now = new HashMap<String, String>();
    for (var file : plan.files()) {
      now.put(file.path(), state(files.read(file.path())));
    }
    var changed = paths(plan, file -> file.after().equals(now.get(file.path())));
    var unchanged = paths(plan, file -> file.before().equals(now.get(file.path())));
    if (unchanged.size() == plan.files().size()) {
      return apply(Set.of(), onlyCheck);
    }
    if (plan.applied()) {
      return new PatchOutcome.AlreadyApplied(paths(plan, file -> !changed.contains(file.path())));
    }
    if (changed.size() + unchanged.size() < plan.files().size()) {
      var unknown =
          paths(plan, file -> !changed.contains(file.path()) && !unchanged.contains(file.path()));
      return new PatchOutcome.PartlyApplied(changed, unchanged, unknown);
    }
    return changed.size() == plan.files().size()
        ? finished(onlyCheck)
        : apply(Set.copyOf(changed), onlyCheck);
  }

  private PatchOutcome finished(boolean onlyCheck) {
    if (!onlyCheck) {
      memory.applied();
    }
    return new PatchOutcome.AlreadyApplied(List.of());
  }

  private static List<String> paths(PatchPlan plan, Predicate<PlannedFile> condition) {
    return plan.files().stream().filter(condition).map(PlannedFile::path).toList();
  }

  /**
   * @param done files that a lost worker has changed
   */
  private PatchOutcome apply(Set<String> done, boolean onlyCheck) throws IOException {
    var changes = new ArrayList<FileSetChange>();
    var conflicts = new ArrayList<PatchOutcome.Conflict>();
    for (var file : patch.files()) {
      try {
        changes.addAll(changes(file, done));
      } catch (FileMerge.Misfit misfit) {
        conflicts.add(misfit.conflict());
      }
      checkSize(changes);
    }
    if (!conflicts.isEmpty()) {
      return new PatchOutcome.Conflicts(conflicts);
    }
    if (changes.isEmpty()) {
      return new PatchOutcome.AlreadyApplied(List.of());
    }
    if (!onlyCheck) {
      if (done.isEmpty()) {
        memory.plan(changes.stream().map(PatchApplication::planned).toList());
        Failpoint.PATCH_PLANNED.pass();
      }
      files.put(changes);
      memory.applied();
    }
    return new PatchOutcome.Applied(patch.files());
  }

  private List<FileSetChange> changes(PatchedFile file, Set<String> done)
      throws IOException, FileMerge.Misfit {
    if (!done.contains(file.path())) {
      return new FileMerge(files, file, earlier.flatMap(known -> known.find(file.path())))
          .changes();
    }
    var from = file.from().filter(path -> !file.keepsFrom() && !done.contains(path));
    return from.isEmpty()
        ? List.of()
        : List.of(new FileSetChange(from.get(), files.read(from.get()), Optional.empty()));
  }

  private static void checkSize(List<FileSetChange> changes) {
    var size =
        changes.stream()
            .flatMap(change -> change.after().stream())
            .mapToLong(content -> content.bytes().length)
            .sum();
    if (size > MAX_BYTES) {
      throw new UnusablePatch("its files together would have more than 64 MB");
    }
  }

  private static PlannedFile planned(FileSetChange change) {
    return new PlannedFile(change.path(), state(change.before()), state(change.after()));
  }

  private static String state(Optional<FileContent> content) {
    return content.map(FileContent::state).orElse(NO_FILE);
  }
}
