/** Posts to parents that are hosted elsewhere. */
@NullMarked
package dev.errand.webhook;

import org.jspecify.annotations.NullMarked;
