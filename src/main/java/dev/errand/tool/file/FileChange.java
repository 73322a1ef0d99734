package dev.errand.tool.file;

import java.util.Optional;

/**
 * What a call does to one file.
 *
 * @param path relative to the workspace
 * @param before the content that is replaced; empty when there is no such file yet
 */
public record FileChange(String path, Optional<ContentHash> before, ContentHash after) {}
