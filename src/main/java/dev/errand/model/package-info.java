/**
 * Language models: the port {@link LanguageModel} and its providers. Called by the agent loop. The
 * one rule: nothing here is called inside a transaction, and an incomplete answer is an exception.
 */
@NullMarked
package dev.errand.model;

import org.jspecify.annotations.NullMarked;
