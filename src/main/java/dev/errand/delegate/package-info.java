/**
 * The tools by which an agent delegates: {@code task}, {@code spawn}, {@code task_output}, {@code
 * task_cancel}, {@code task_list} and {@code task_apply}. They read arguments, call the {@code
 * task} package, and write the answer that the model reads. Also the definitions of the tools that
 * clients are offered. The one rule: a model gets nothing here that a client could not get as well.
 */
@NullMarked
package dev.errand.delegate;

import org.jspecify.annotations.NullMarked;
