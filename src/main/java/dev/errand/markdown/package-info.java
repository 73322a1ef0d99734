/**
 * Markdown files of the operator with YAML front matter: agents and skills. A leaf that imports no
 * other package of the service. The one rule: every error names file and line.
 */
@NullMarked
package dev.errand.markdown;

import org.jspecify.annotations.NullMarked;
