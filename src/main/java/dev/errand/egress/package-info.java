/**
 * Where requests to addresses that others chose may go. A leaf that whoever calls such addresses
 * may use. The one rule: addresses are judged, never names, and only an address that was judged is
 * connected to.
 */
@NullMarked
package dev.errand.egress;

import org.jspecify.annotations.NullMarked;
