/** What one session's rows go through. */
@NullMarked
package dev.errand.session;

import org.jspecify.annotations.NullMarked;
