package dev.errand.kit;

import java.util.List;

/**
 * One message as a model endpoint was sent it.
 *
 * @param calls ids of the tool calls in it
 * @param answers ids of the tool calls it answers
 */
public record Turn(String role, String text, List<String> calls, List<String> answers) {}
