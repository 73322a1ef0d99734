@NullMarked
package dev.errand.ops;

import org.jspecify.annotations.NullMarked;
