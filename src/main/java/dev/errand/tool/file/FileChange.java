package dev.errand.tool.file;

import java.util.Optional;

/**
 * The change that a call makes to one file.
 *
 * @param path relative to the workspace
 * @param before the content that is replaced; empty if the file does not exist yet
 */
public record FileChange(String path, Optional<ContentHash> before, ContentHash after) {}
