/**
 * {@code make bench}: how fast the packaged service is, next to the limits that the same machine
 * sets in the same round. Three processes: the service as it is shipped, the endpoint of its
 * models, and the load generator.
 */
@NullMarked
package dev.errand.bench;

import org.jspecify.annotations.NullMarked;
