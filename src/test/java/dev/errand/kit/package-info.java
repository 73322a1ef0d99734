/**
 * What tests share: a real database, a model that does as it is told, and ways to act on the
 * service and to look at it. Tests write through HTTP and read the rows.
 */
@NullMarked
package dev.errand.kit;

import org.jspecify.annotations.NullMarked;
