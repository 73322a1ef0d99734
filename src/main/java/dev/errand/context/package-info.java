/**
 * What of a conversation is sent to a model: the limits of its window, results that are left out or
 * cut, repeated calls, and what a summary is made of. Called by runs, which call the model and
 * save. The one rule: nothing here changes the database, and the transcript keeps everything.
 */
@NullMarked
package dev.errand.context;

import org.jspecify.annotations.NullMarked;
