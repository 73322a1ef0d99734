@NullMarked
package dev.errand.demo;

import org.jspecify.annotations.NullMarked;
