/**
 * What all HTTP resources have in common: problem documents, strict JSON, request limits,
 * conversion of headers and parameters, streams, the sessions of clients that name none, and the
 * OpenAPI document. Used by the packages that serve HTTP. The one rule: nothing here depends on a
 * resource.
 */
@NullMarked
package dev.errand.http;

import org.jspecify.annotations.NullMarked;
