/**
 * One process of the service: its identity, its lease in the database, and the hints it gives to
 * itself and to the other nodes when there is something to do. Any package may use it. The one
 * rule: hints are only hints – whoever listens also looks by itself now and then, and a lost hint
 * costs time, never work.
 */
@NullMarked
package dev.errand.node;

import org.jspecify.annotations.NullMarked;
