/**
 * Decides where requests to addresses that others chose may go. A leaf, used by everything that
 * calls such addresses. The one rule: addresses are checked, never names, and only a checked
 * address is connected to.
 */
@NullMarked
package dev.errand.egress;

import org.jspecify.annotations.NullMarked;
