/**
 * Who a caller is and what it may do: keys, session tokens, the identities of OIDC, roles, and the
 * audit of what was done. Any package may ask for the current caller. The one rule: a secret is
 * shown once and stored as a hash.
 */
@NullMarked
package dev.errand.auth;

import org.jspecify.annotations.NullMarked;
