/** Tests of JobRunr in the transactions of the service. */
@NullMarked
package dev.errand.job;

import org.jspecify.annotations.NullMarked;
