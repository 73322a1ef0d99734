/**
 * Health and gauges, for those who run the service. The one rule: what is asked often is answered
 * from a cache.
 */
@NullMarked
package dev.errand.ops;

import org.jspecify.annotations.NullMarked;
