@NullMarked
package dev.errand.view;

import org.jspecify.annotations.NullMarked;
