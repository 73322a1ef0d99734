package dev.errand.tool.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A small process between the service and a command. It reads the command from its standard input,
 * starts it, and kills the process tree of the command when that input ends: because the service
 * closed it (time-out, cancellation) or because the service died. It also kills the tree shortly
 * after the time-out, because a stopped service (SIGSTOP) keeps its end of the pipe open.
 *
 * <p>The command is sent through the pipe instead of as an argument, because Java encodes arguments
 * in the encoding of the machine, which without a locale has no umlauts.
 *
 * @param command the program to run with its arguments, to which the command is appended
 * @param marker set in the environment of all processes that the command starts, to find those that
 *     changed their session; empty if killing {@code command} is enough, as in a PID namespace
 */
record Guard(List<String> command, String marker, HelperPrograms programs) {

  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final String SCRIPT =
      """
      seconds=$1 length=$2 marker=$3 path=$4
      shift 4
      exec 3<&0 </dev/null
      command=$(@head@ -c "$length" <&3; echo .)
      command=${command%.}
      ERRAND_CALL=$marker PATH=$path @nice@ -n 10 @setsid@ "$@" "$command" 3<&- &
      child=$!
      exec >/dev/null 2>&1
      marked() { @grep@ -lzsx "ERRAND_CALL=$marker" /proc/[0-9]*/environ | @cut@ -d/ -f3; }
      end() {
        kill -s KILL -- "-$child"
        kill -s KILL "$1"
        [ -n "$marker" ] || return
        for round in 1 2 3 4 5 6 7 8 9 10; do
          left=$(marked)
          [ -n "$left" ] || return
          kill -s KILL $left
        done
      }
      { @timeout@ "$seconds" @cat@ <&3; end "$child"; } &
      watch=$!
      wait "$child"
      code=$?
      end ""
      kill -s KILL "$watch"
      groups=$(@ls@ -d /sys/fs/cgroup/errand-$child /sys/fs/cgroup/pids/errand-$child)
      for round in 1 2 3 4 5 6 7 8 9 10; do
        [ -n "$groups" ] || break
        @rmdir@ $groups && break
        @sleep@ 0.2
      done &
      exit "$code"
      """;

  /**
   * Returns the command line that runs {@code text} and kills it shortly after the time-out.
   *
   * @param path the {@code PATH} of the command
   * @throws IOException a program is missing
   */
  List<String> commandLine(byte[] text, Duration timeout, String path) throws IOException {
    var line = new ArrayList<>(List.of(programs.find("setsid"), "/bin/sh", "-c"));
    line.addAll(List.of(programs.in(SCRIPT), "errand-guard"));
    line.add(Long.toString(timeout.plus(GRACE).toSeconds()));
    line.add(Integer.toString(text.length));
    line.add(marker);
    line.add(path);
    line.addAll(command);
    return line;
  }

  static byte[] bytes(String command) {
    return command.getBytes(StandardCharsets.UTF_8);
  }
}
