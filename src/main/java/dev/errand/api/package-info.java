/**
 * The REST door: resources, the views they answer with, and errors as problem documents. Called by
 * clients only. The one rule: names and shapes here are promised to clients; inner types change
 * without them.
 */
@NullMarked
package dev.errand.api;

import org.jspecify.annotations.NullMarked;
