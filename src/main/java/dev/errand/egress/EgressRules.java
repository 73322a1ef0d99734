package dev.errand.egress;

/**
 * The rules that the operator sets.
 *
 * @param allowPrivate whether this machine and its private network may be called; metadata services
 *     must not be called in either case
 */
public record EgressRules(boolean httpsOnly, boolean allowPrivate) {}
