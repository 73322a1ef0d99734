/**
 * The tool {@code webfetch}: web pages as text. Combines the policy for outgoing requests ({@code
 * egress}) with the hosts, ports and sizes of this tool. The one rule: every hop is checked like
 * the first one, and a refusal reveals nothing about the refused address.
 */
@NullMarked
package dev.errand.tool.web;

import org.jspecify.annotations.NullMarked;
