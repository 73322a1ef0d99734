/**
 * The tenants, with their shares, limits and models. Each node keeps all of them in memory, so that
 * nothing on the path of a task reads a tenant from the database.
 */
@NullMarked
package dev.errand.tenant;

import org.jspecify.annotations.NullMarked;
