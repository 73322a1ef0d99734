/**
 * Commands: lines such as {@code task:explore --prompt "…"} that a client posts or a model passes
 * to {@code bash}. The one rule: a command is read completely before anything is done, and is then
 * an ordinary delegation.
 */
@NullMarked
package dev.errand.delegate.command;

import org.jspecify.annotations.NullMarked;
