/**
 * What every HTTP resource needs: problem documents, strict JSON, request limits, readers of
 * headers and parameters, and writing of server-sent events. Used by the packages that serve HTTP.
 * The one rule: nothing here knows a resource.
 */
@NullMarked
package dev.errand.api.http;

import org.jspecify.annotations.NullMarked;
