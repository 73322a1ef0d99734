@NullMarked
package dev.errand.time;

import org.jspecify.annotations.NullMarked;
