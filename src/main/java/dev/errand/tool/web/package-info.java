/**
 * The tool {@code webfetch}: pages of the web as text. Made of the one policy of who may be called
 * ({@code egress}) and this tool's own hosts, ports and sizes. The one rule: every hop is judged
 * like the first, and nothing is told of what a refused address would have answered.
 */
@NullMarked
package dev.errand.tool.web;

import org.jspecify.annotations.NullMarked;
