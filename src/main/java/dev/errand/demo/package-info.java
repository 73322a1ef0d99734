/**
 * {@code offline:planner}: a small rule-based model that needs no network, so that the first run
 * does real work on real files. It delegates as a primary agent and searches as an explorer. It has
 * no state and no randomness: the answer follows only from the request. {@link
 * dev.errand.model.LanguageModels} finds it as a bean. Beside it, the program that trains Java's
 * cache. The one rule: no other package imports this one.
 */
@NullMarked
package dev.errand.demo;

import org.jspecify.annotations.NullMarked;
