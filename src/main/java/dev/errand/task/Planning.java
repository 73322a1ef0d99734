package dev.errand.task;

/** The answer to a submission before anything is written: a plan, or why there is none. */
sealed interface Planning permits TaskPlan, SubmitResult.Refused {}
