/** Tests of tasks and their notices. */
@NullMarked
package dev.errand.task;

import org.jspecify.annotations.NullMarked;
