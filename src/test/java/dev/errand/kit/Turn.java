package dev.errand.kit;

import java.util.List;

/**
 * One message of a request to a model endpoint.
 *
 * @param calls ids of the tool calls in the message
 * @param answers ids of the tool calls that the message answers
 */
public record Turn(String role, String text, List<String> calls, List<String> answers) {}
