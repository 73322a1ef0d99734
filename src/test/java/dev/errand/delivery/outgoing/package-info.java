/** Tests of webhooks: posts to parents that are hosted elsewhere. */
@NullMarked
package dev.errand.delivery.outgoing;

import org.jspecify.annotations.NullMarked;
