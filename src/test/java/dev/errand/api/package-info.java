/** The outside doors, over HTTP. */
@NullMarked
package dev.errand.api;

import org.jspecify.annotations.NullMarked;
