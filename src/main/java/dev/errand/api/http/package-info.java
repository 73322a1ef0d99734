/**
 * What all HTTP resources have in common: problem documents, strict JSON, request limits,
 * conversion of headers and parameters, server-sent events, and the OpenAPI document. Used by the
 * packages that serve HTTP. The one rule: nothing here depends on a resource.
 */
@NullMarked
package dev.errand.api.http;

import org.jspecify.annotations.NullMarked;
