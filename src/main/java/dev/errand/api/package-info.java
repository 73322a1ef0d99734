/**
 * The REST API: resources and the records that they answer with. Called by clients only. The one
 * rule: names and formats are promised to clients, so they do not change with the types of other
 * packages.
 */
@NullMarked
package dev.errand.api;

import org.jspecify.annotations.NullMarked;
