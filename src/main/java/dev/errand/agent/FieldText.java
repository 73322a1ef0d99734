package dev.errand.agent;

/** A text of the file and its line. */
record FieldText(String text, int line) {}
