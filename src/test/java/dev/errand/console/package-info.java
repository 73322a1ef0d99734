@NullMarked
package dev.errand.console;

import org.jspecify.annotations.NullMarked;
