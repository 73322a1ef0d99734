/**
 * The tools that search a workspace: {@code glob}, {@code grep} and {@code list}, and the rules of
 * {@code .gitignore}. The rule: a search never blocks the threads of other sessions, and it ends
 * when its caller no longer waits for the result.
 */
@NullMarked
package dev.errand.tool.search;

import org.jspecify.annotations.NullMarked;
