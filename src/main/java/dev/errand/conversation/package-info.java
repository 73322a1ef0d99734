/**
 * The types of a conversation: messages, tool calls and results, and ids. Pure values; imports no
 * other package of the service. The one rule: these types are stored and sent as they are, so
 * changing a field changes the stored transcripts.
 */
@NullMarked
package dev.errand.conversation;

import org.jspecify.annotations.NullMarked;
