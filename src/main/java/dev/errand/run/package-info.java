/**
 * Runs: one worker drives one session from a claim to an end. Called by jobs. Reports starts and
 * ends of runs to the task package, in the transactions that make them. The one rule: a run that
 * lost its lease writes nothing more.
 */
@NullMarked
package dev.errand.run;

import org.jspecify.annotations.NullMarked;
