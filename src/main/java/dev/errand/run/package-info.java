/**
 * Runs: one worker drives one session from a claim to an end. Called by jobs; tells the task
 * package of starts and ends in the transactions that make them. The one rule: a run that lost its
 * lease writes nothing more, whatever it was doing.
 */
@NullMarked
package dev.errand.run;

import org.jspecify.annotations.NullMarked;
