/** Tests of the rules for outgoing requests. */
@NullMarked
package dev.errand.egress;

import org.jspecify.annotations.NullMarked;
