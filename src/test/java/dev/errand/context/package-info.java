/** Tests of what is sent of a conversation. */
@NullMarked
package dev.errand.context;

import org.jspecify.annotations.NullMarked;
