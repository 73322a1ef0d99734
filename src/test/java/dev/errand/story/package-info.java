/** Stories: tests of whole paths through the service. */
@NullMarked
package dev.errand.story;

import org.jspecify.annotations.NullMarked;
