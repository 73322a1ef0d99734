/**
 * The read model: the lists and single rows that clients see. Read-only Panache entities are mapped
 * to SQL views, and queries on them return records. Only the packages {@code api} and {@code ops}
 * may use it. The one rule: nothing here writes, and no query is native SQL.
 */
@NullMarked
package dev.errand.view;

import org.jspecify.annotations.NullMarked;
