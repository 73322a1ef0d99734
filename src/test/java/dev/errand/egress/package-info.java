/** Where requests of ours may go. */
@NullMarked
package dev.errand.egress;

import org.jspecify.annotations.NullMarked;
