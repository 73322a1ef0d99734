/**
 * The console: two pages for people, which are clients of {@code /v1} in their browser. The package
 * serves the pages and their files, and exchanges a key for a cookie. The one rule: it shows
 * nothing that {@code /v1} does not return.
 */
@NullMarked
package dev.errand.console;

import org.jspecify.annotations.NullMarked;
