package dev.errand.task;

/** The choice whether the parent is notified. */
enum ParentNotice {
  SEND,
  /** The parent was stopped together with the task. */
  SUPPRESS,
  /** The parent ends the task itself and knows that. An open tool call is answered anyway. */
  KNOWN
}
