/**
 * Permissions of sessions: rules, and how they narrow from parent to child. Pure values; imports no
 * other package of the service. The one rule: the permissions of a child are created with {@link
 * Permissions#narrowedBy}, which can only remove permissions.
 */
@NullMarked
package dev.errand.permission;

import org.jspecify.annotations.NullMarked;
