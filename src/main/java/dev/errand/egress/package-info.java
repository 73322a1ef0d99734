/**
 * Decides how requests leave the node: which addresses that others chose may be called, through
 * which proxy, and which certificates are trusted. A leaf, used by everything that calls others.
 * The one rule: addresses are checked, never names, and only a checked address is connected to,
 * unless the operator lets a proxy connect.
 */
@NullMarked
package dev.errand.egress;

import org.jspecify.annotations.NullMarked;
