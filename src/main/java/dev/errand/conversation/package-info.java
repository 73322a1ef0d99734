/**
 * The shared words of a conversation: messages, tool calls and results, and the ids that name
 * sessions and tasks. Pure values; imports no other package of ours. The one rule: what is here is
 * also what is stored and sent, so a change of a field is a change of the stored transcripts.
 */
@NullMarked
package dev.errand.conversation;

import org.jspecify.annotations.NullMarked;
