/** Tests of runs, in particular of runs that lose their worker. */
@NullMarked
package dev.errand.run;

import org.jspecify.annotations.NullMarked;
