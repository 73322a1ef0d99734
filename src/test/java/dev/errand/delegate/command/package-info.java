@NullMarked
package dev.errand.delegate.command;

import org.jspecify.annotations.NullMarked;
