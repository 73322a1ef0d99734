/**
 * The tools by which an agent delegates: {@code task}, {@code spawn}, {@code task_output}, {@code
 * task_cancel}, {@code task_list} and {@code task_apply}. They read arguments, call the {@code
 * task} package, and write the answer that the model reads. The one rule: a model gets nothing here
 * that a REST caller could not get as well.
 */
@NullMarked
package dev.errand.delegate;

import org.jspecify.annotations.NullMarked;
