package dev.errand.egress;

import java.time.Duration;

/**
 * @param connect time limit for opening a connection
 * @param silence time limit for the next bytes of an answer
 * @param connections number of concurrent connections; further requests wait
 */
public record HttpLimits(Duration connect, Duration silence, int connections) {}
