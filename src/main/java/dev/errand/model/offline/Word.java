package dev.errand.model.offline;

/**
 * Something to look for.
 *
 * @param said as the asker wrote it
 * @param pattern a regular expression that finds it and its variants, upper or lower case
 */
record Word(String said, String pattern) {}
