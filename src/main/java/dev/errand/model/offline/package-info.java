/**
 * {@code offline:planner}: a small rule-based model that needs no network, so that the first run
 * does real work on real files. It delegates as a primary and searches as an explorer. Found by
 * {@link dev.errand.model.LanguageModels}; nobody else calls it. The one rule: no state and no
 * chance – what it says follows from the request alone.
 */
@NullMarked
package dev.errand.model.offline;

import org.jspecify.annotations.NullMarked;
