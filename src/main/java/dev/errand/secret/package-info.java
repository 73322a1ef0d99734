/**
 * Secrets: values that must appear in no table, event, trace, log or answer. Code that reads a key
 * or a password registers it with {@link dev.errand.secret.Secrets}; code that stores or logs a
 * text masks it. The lowest package: every other one may use it, and it uses none. The one rule: a
 * registered value leaves this package only as its mask.
 */
@NullMarked
package dev.errand.secret;

import org.jspecify.annotations.NullMarked;
