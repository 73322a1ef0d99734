/**
 * The texts that a parent reads about its tasks: notices of ended background tasks and answers to
 * {@code task} calls. The one rule: the words of a child are quoted as data, never mixed with ours.
 */
@NullMarked
package dev.errand.task.notice;

import org.jspecify.annotations.NullMarked;
