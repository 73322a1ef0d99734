package dev.errand.tool.web;

/**
 * One result of a search, in the words of others.
 *
 * @param snippet may be empty
 */
record SearchResult(String title, String url, String snippet) {}
