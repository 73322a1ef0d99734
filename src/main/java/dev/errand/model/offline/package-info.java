/**
 * {@code offline:planner}: a small rule-based model that needs no network, so that the first run
 * does real work on real files. It delegates as a primary agent and searches as an explorer. Found
 * by {@link dev.errand.model.LanguageModels}; no other code calls it. The one rule: no state and no
 * randomness, the answer follows from the request alone.
 */
@NullMarked
package dev.errand.model.offline;

import org.jspecify.annotations.NullMarked;
