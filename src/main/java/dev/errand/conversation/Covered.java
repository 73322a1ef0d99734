package dev.errand.conversation;

/** The messages that a summary stands for, by their places in the transcript, both included. */
public record Covered(long fromSeq, long toSeq) {}
