@NullMarked
package dev.errand.model;

import org.jspecify.annotations.NullMarked;
