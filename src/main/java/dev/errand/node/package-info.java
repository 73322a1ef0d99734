/**
 * One process of the service: its identity, its lease in the database, its copies of shared rows,
 * and the hints that notify this node and the others of work. Any package may use it. The one rule:
 * a hint is only a hint. Every listener also adds a {@link dev.errand.node.Sweep}, and a lost hint
 * costs time, never work.
 */
@NullMarked
package dev.errand.node;

import org.jspecify.annotations.NullMarked;
