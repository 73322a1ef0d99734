/** Tests of the REST API over HTTP. */
@NullMarked
package dev.errand.api;

import org.jspecify.annotations.NullMarked;
