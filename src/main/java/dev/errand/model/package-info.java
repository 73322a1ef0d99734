/**
 * Language models: one port, {@link LanguageModel}, and its providers. Called by the agent loop.
 * The one rule: nothing here is called inside a transaction, and an answer that is not whole is an
 * exception, never half an answer.
 */
@NullMarked
package dev.errand.model;

import org.jspecify.annotations.NullMarked;
