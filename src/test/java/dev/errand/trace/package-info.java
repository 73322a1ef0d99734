@NullMarked
package dev.errand.trace;

import org.jspecify.annotations.NullMarked;
