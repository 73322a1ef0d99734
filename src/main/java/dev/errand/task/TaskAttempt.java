package dev.errand.task;

import dev.errand.conversation.TaskId;

/**
 * The attempt of a task that a run makes.
 *
 * @param number 1 for the first attempt
 */
public record TaskAttempt(TaskId task, int number) {}
