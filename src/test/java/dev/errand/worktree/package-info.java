@NullMarked
package dev.errand.worktree;

import org.jspecify.annotations.NullMarked;
