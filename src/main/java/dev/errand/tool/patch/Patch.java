package dev.errand.tool.patch;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A patch, as {@code git diff --binary --full-index} writes it. */
public record Patch(List<PatchedFile> files) {

  /**
   * Reads a patch.
   *
   * @throws UnusablePatch it is damaged, or contains something that is never applied: symbolic
   *     links, submodules, paths that leave the directory or lie in a {@code .git}
   */
  public static Patch read(byte[] bytes) {
    var patch = new Patch(new PatchReader(bytes).files());
    var results = new HashSet<String>();
    var sources = new HashSet<String>();
    for (var file : patch.files()) {
      file.to().ifPresent(to -> check(results.add(to), to));
      file.from()
          .filter(_ -> !file.keepsFrom() || file.from().equals(file.to()))
          .ifPresent(from -> check(sources.add(from), from));
    }
    return patch;
  }

  /**
   * Returns the patch without these files.
   *
   * @throws UnusablePatch it does not contain one of them
   */
  public Patch without(Set<String> paths) {
    var known = files.stream().map(PatchedFile::path).collect(Collectors.toSet());
    for (var path : paths) {
      if (!known.contains(path)) {
        throw new UnusablePatch("it does not change " + PatchReader.shown(path));
      }
    }
    return new Patch(files.stream().filter(file -> !paths.contains(file.path())).toList());
  }

  private static void check(boolean isNew, String path) {
    if (!isNew) {
      throw new UnusablePatch(PatchReader.shown(path) + " is named twice");
    }
  }

  Optional<PatchedFile> find(String path) {
    return files.stream().filter(file -> file.path().equals(path)).findFirst();
  }

  /** Returns the paths of all files that are created, changed or deleted. */
  public List<String> changedPaths() {
    return files.stream()
        .flatMap(file ->
            Stream.concat(
                file.to().stream(), file.from().filter(from -> !file.keepsFrom()).stream()))
        .distinct()
        .toList();
  }
}
