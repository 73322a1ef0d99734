/**
 * The tools that search a workspace: {@code glob}, {@code grep} and {@code list}, and what git
 * ignores. The one rule: a search never blocks the threads of other sessions and ends when nobody
 * waits for its result.
 */
@NullMarked
package dev.errand.tool.search;

import org.jspecify.annotations.NullMarked;
