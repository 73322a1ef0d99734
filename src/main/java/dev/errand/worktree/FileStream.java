package dev.errand.worktree;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * A commit with the files of a workspace, as input of {@code git fast-import}. Files that the
 * caller must not read are left out. The contents are stored as they are, without filters and
 * conversions.
 */
final class FileStream implements Git.GitInput {

  /** Larger files must not shrink while they are read. */
  private static final int AT_ONCE = 8 << 20;

  private final Contents contents;
  private final SortedSet<String> names;
  private final String header;
  private final WorktreesConfig limits;
  private final List<String> repositories = new ArrayList<>();
  private int unread;
  private int files;
  private long bytes;

  /**
   * @param contents of the workspace; closed with the stream
   * @param names of files that may exist, relative, with {@code /}
   * @param branch that the commit is made on
   * @param from the branch that the commit changes; null if it has no parent
   */
  FileStream(
      Contents contents,
      SortedSet<String> names,
      String branch,
      @Nullable String from,
      WorktreesConfig limits) {
    this.contents = contents;
    this.names = names;
    this.header =
        "commit refs/heads/%s\ncommitter errand <errand@localhost> now\ndata %d\n%s\n%s"
            .formatted(
                branch,
                branch.length(),
                branch,
                from == null ? "" : "from refs/heads/" + from + "^0\n");
    this.limits = limits;
  }

  /** Returns what is not in the commit, as sentences. */
  List<String> notes() {
    var notes = new ArrayList<String>();
    if (!repositories.isEmpty()) {
      notes.add("Submodules and repositories in the workspace are not copied: " + named() + ".");
    }
    if (unread > 0) {
      notes.add("Files that agents or the service cannot read are not copied: " + unread + ".");
    }
    return notes;
  }

  private String named() {
    var shown = String.join(", ", repositories.subList(0, Math.min(5, repositories.size())));
    return repositories.size() > 5 ? shown + " and " + (repositories.size() - 5) + " more" : shown;
  }

  @Override
  public void write(OutputStream out) throws IOException {
    try (contents) {
      print(header, out);
      for (var name : names) {
        if (isWithin(name)) {
          file(name, out);
        }
      }
      print("done\n", out);
    }
  }

  /** An index may contain names that lead elsewhere. */
  private static boolean isWithin(String name) {
    for (var part : name.split("/", -1)) {
      if (part.equals("..") || part.equals(".") || part.equalsIgnoreCase(".git")) {
        return false;
      }
    }
    return !name.startsWith("/");
  }

  private void file(String name, OutputStream out) throws IOException {
    switch (contents.open(name)) {
      case Contents.TreeEntry.Hidden _ -> {}
      case Contents.TreeEntry.Missing _ -> print("D " + quoted(name) + "\n", out);
      case Contents.TreeEntry.UnreadableEntry _ -> unread++;
      case Contents.TreeEntry.Folder folder -> {
        if (name.endsWith("/") || !hasFilesIn(name)) {
          repositories.add(folder.name());
        }
        print("D " + quoted(folder.name()) + "\n", out);
      }
      case Contents.TreeEntry.Link link -> {
        var target = link.target().getBytes(UTF_8);
        begin("120000", name, target.length, out);
        out.write(target);
        out.write('\n');
      }
      case Contents.TreeEntry.File file -> {
        try (var channel = file.channel()) {
          write(name, file, channel, out);
        }
      }
    }
  }

  /** Git lists nothing in a repository, but what is in a directory that was a file before. */
  private boolean hasFilesIn(String folder) {
    var after = names.tailSet(folder + "/");
    return !after.isEmpty() && after.first().startsWith(folder + "/");
  }

  private void write(
      String name, Contents.TreeEntry.File file, SeekableByteChannel channel, OutputStream out)
      throws IOException {
    var in = Channels.newInputStream(channel);
    var start = read(in, AT_ONCE);
    var size = start.length < AT_ONCE ? start.length : Math.max(AT_ONCE, channel.size());
    begin(file.executable() ? "100755" : "100644", name, size, out);
    out.write(start);
    for (long left = size - start.length; left > 0; ) {
      var more = read(in, (int) Math.min(left, AT_ONCE));
      if (more.length == 0) {
        throw new UncheckedIOException(
            new IOException(name + " was changed while it was copied; try again"));
      }
      out.write(more);
      left -= more.length;
    }
    out.write('\n');
  }

  /** Makes a failed read distinguishable from a broken pipe. */
  private static byte[] read(InputStream in, int max) {
    try {
      return in.readNBytes(max);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void begin(String mode, String name, long size, OutputStream out) throws IOException {
    files++;
    bytes += size;
    if (files > limits.maxFiles()) {
      throw new WorktreeRefused(
          "has more than %,d files (errand.worktrees.max-files)".formatted(limits.maxFiles()));
    }
    if (bytes > limits.maxBytes().asLongValue()) {
      throw new WorktreeRefused(
          "has files with more than %,d bytes (errand.worktrees.max-bytes)"
              .formatted(limits.maxBytes().asLongValue()));
    }
    print("M " + mode + " inline " + quoted(name) + "\ndata " + size + "\n", out);
  }

  private static String quoted(String name) {
    return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  private static void print(String text, OutputStream out) throws IOException {
    out.write(text.getBytes(UTF_8));
  }
}
