/**
 * Tests of what is deployed with the service: rules, dashboards, manifests, and the pages about
 * them.
 */
@NullMarked
package dev.errand.deploy;

import org.jspecify.annotations.NullMarked;
