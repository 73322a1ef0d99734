/** Tests of the rows of a session and their transitions. */
@NullMarked
package dev.errand.session;

import org.jspecify.annotations.NullMarked;
