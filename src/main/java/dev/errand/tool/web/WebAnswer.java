package dev.errand.tool.web;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a server.
 *
 * @param location the target of a redirect; null if the answer is not one
 * @param body decompressed; only the beginning if {@code cut}; empty if it is not text
 * @param length the length of the body as the server declares it; -1 if it does not
 */
record WebAnswer(
    int status, WebType type, @Nullable String location, byte[] body, boolean cut, long length) {

  boolean isError() {
    return status / 100 != 2;
  }
}
