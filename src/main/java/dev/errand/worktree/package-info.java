/**
 * The copies that children with {@code isolation: worktree} work in, and what they changed there.
 *
 * <p>Each copy has a folder {@code <task>} in {@code errand.worktrees.dir}:
 *
 * <ul>
 *   <li>{@code tree}: the workspace of the child, with a {@code .git} of its own. The child may
 *       change everything in it.
 *   <li>{@code git}: a git directory of the service, out of reach of the child. It contains the
 *       base, that is the snapshot of the parent's workspace, and the state at the end of each
 *       task.
 * </ul>
 *
 * <p>An agent may write to the {@code .git} of its workspace, and git runs programs that are named
 * there: hooks, a file system monitor, filters, external diff and text conversion, helpers of
 * remotes. The service therefore never starts git with a repository of an agent. It copies the
 * <em>index</em> of the parent's repository, which is data, into a git directory of its own, and
 * asks git there for the names of tracked and non-ignored files. The contents are read by the
 * service itself, one directory at a time and without following links, and are streamed into its
 * git directory; so filters and conversions do not run, and a directory that is replaced by a link
 * in the meantime leads nowhere. The difference is computed between two commits, without a work
 * tree.
 */
@NullMarked
package dev.errand.worktree;

import org.jspecify.annotations.NullMarked;
