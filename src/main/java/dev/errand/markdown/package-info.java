/**
 * Markdown files of the operator's with YAML front matter: agents and skills. A leaf that imports
 * no other package of ours. The one rule: what is wrong with a file is told with file and line.
 */
@NullMarked
package dev.errand.markdown;

import org.jspecify.annotations.NullMarked;
