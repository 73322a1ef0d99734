/**
 * Health, gauges and statistics for operators. The one rule: what is requested often is answered
 * from a cache.
 */
@NullMarked
package dev.errand.ops;

import org.jspecify.annotations.NullMarked;
