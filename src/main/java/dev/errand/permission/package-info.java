/**
 * What a session may do: rules, and how they narrow from parent to child (P1–P4). Pure values;
 * imports no other package of ours. The one rule: a child's permissions are made with {@link
 * Permissions#narrowedBy}, which can only take away.
 */
@NullMarked
package dev.errand.permission;

import org.jspecify.annotations.NullMarked;
