package dev.errand.tool.web;

import java.util.Optional;

/**
 * What a server answered.
 *
 * @param location where it sends us, when it does
 * @param body unpacked; the beginning only when {@code cut}; empty for what is not text
 * @param length of the body as the server says; -1 when it does not
 */
record WebAnswer(
    int status, WebType type, Optional<String> location, byte[] body, boolean cut, long length) {

  boolean isError() {
    return status / 100 != 2;
  }
}
