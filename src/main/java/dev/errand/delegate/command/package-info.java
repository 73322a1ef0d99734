/**
 * Commands (D8): lines such as {@code task:explore --prompt "…"} that a user posts or a model gives
 * to {@code bash}. The one rule: a command is read completely before anything is done, and is then
 * an ordinary delegation.
 */
@NullMarked
package dev.errand.delegate.command;

import org.jspecify.annotations.NullMarked;
