@NullMarked
package dev.errand.model.offline;

import org.jspecify.annotations.NullMarked;
