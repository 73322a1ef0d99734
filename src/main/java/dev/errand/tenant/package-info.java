/**
 * The tenants and what each of them has: its share, its limits, its models. Each node keeps all of
 * them in memory. The one rule: nothing on the path of a task reads a tenant from the database.
 */
@NullMarked
package dev.errand.tenant;

import org.jspecify.annotations.NullMarked;
