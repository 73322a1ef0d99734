/** Tests of the definitions of hooks, and what tests need to define some. */
@NullMarked
package dev.errand.hook;

import org.jspecify.annotations.NullMarked;
