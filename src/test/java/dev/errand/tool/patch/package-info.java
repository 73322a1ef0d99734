@NullMarked
package dev.errand.tool.patch;

import org.jspecify.annotations.NullMarked;
