@NullMarked
package dev.errand.tool.web;

import org.jspecify.annotations.NullMarked;
