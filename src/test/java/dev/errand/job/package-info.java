/** Jobs in our transactions. */
@NullMarked
package dev.errand.job;

import org.jspecify.annotations.NullMarked;
