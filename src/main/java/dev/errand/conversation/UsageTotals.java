package dev.errand.conversation;

/** Sums over the turns of a session, or over those of one task. */
public record UsageTotals(long inputTokens, long outputTokens, long turns, long toolCalls) {}
