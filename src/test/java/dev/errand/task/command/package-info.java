@NullMarked
package dev.errand.task.command;

import org.jspecify.annotations.NullMarked;
